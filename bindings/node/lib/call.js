// The settings of a call: time limits, AbortSignal, headers, progress.
'use strict';
const { defaultMaxListeners, getMaxListeners, setMaxListeners } = require('node:events');
const native = require('./native.js');
const errors = require('./errors.js');
const { PHASES } = require('./tables.js');

const MOST_CALLS_OF_A_SIGNAL = 1000;

/** Times without a limit. @param {number} milliseconds */
const limit = (milliseconds) => (milliseconds === Number.POSITIVE_INFINITY ? -1 : milliseconds);

/** @type {Record<string, (call: unknown, value: any) => void>} */
const SETTERS = {
  timeoutMs: (call, value) => native.call_set_timeout(call, limit(value)),
  waitTimeoutMs: (call, value) => native.call_set_wait_timeout(call, limit(value)),
  force: (call, value) => native.call_set_force(call, Number(value)),
  overwrite: (call, value) => native.call_set_overwrite(call, Number(value)),
  deleteAfter: (call, value) => native.call_set_delete_after(call, Number(value)),
  unchecked: (call, value) => native.call_set_unchecked(call, Number(value)),
  extraOptions: (call, value) => native.call_set_extra_options(call, jsonOf(value)),
  headers: (call, value) => {
    for (const [name, text] of Object.entries(value)) native.call_set_header(call, name, text);
  },
};

/** JSON of options. A number without a value would become null, which means that the option is not set. */
function jsonOf(/** @type {unknown} */ options) {
  if (options === undefined || options === null) return null;
  return JSON.stringify(options, (name, value) => {
    if (typeof value === 'number' && !Number.isFinite(value)) throw new TypeError(`${name}: ${value} is not a number`);
    return value;
  });
}

/** One call, which can be stopped from JavaScript. */
class Call {
  /** @type {unknown} */
  handle = null;
  /** @type {unknown} */
  #cancel = null;
  /** Why JavaScript has stopped the call. @type {{ error: unknown } | undefined} */
  #stopped;
  /** @type {AbortSignal | undefined} */
  #signal;
  #onAbort = () => this.#trigger();
  /** @type {(() => void)[]} */
  #onStop = [];

  /** @param {any} settings @param {boolean} [isStoppable] */
  constructor(settings, isStoppable = false) {
    const { signal, onProgress, ...others } = settings ?? {};
    const names = Object.keys(others).filter((name) => others[name] !== undefined);
    if (!signal && !onProgress && !names.length && !isStoppable) return;
    this.handle = native.call_new();
    for (const name of names) {
      const set = SETTERS[name];
      if (!set) throw new TypeError(`unknown setting of a call: ${name}; the settings are ${Object.keys(SETTERS)}`);
      set(this.handle, others[name]);
    }
    if (signal || onProgress || isStoppable) {
      this.#cancel = native.cancel_new();
      native.call_set_cancel(this.handle, this.#cancel);
    }
    if (onProgress) this.#report(onProgress);
    if (signal) this.#follow(signal);
  }

  /** @param {AbortSignal} signal */
  #follow(signal) {
    this.#signal = signal;
    if (signal.aborted) this.#trigger();
    else {
      // One signal for many calls at once is usual; Node.js would warn of a leak at the eleventh.
      if (getMaxListeners(signal) === defaultMaxListeners) setMaxListeners(MOST_CALLS_OF_A_SIGNAL, signal);
      signal.addEventListener('abort', this.#onAbort, { once: true });
    }
  }

  /** @param {(progress: object) => void} onProgress */
  #report(onProgress) {
    native.call_set_progress(
      this.handle,
      (/** @type {number} */ phase, /** @type {number} */ done, /** @type {number} */ total) => {
        try {
          onProgress({ phase: PHASES[phase], done, total: total < 0 ? null : total });
          // A call that was aborted in the function ends at once, even if it is nearly done.
          return this.isStopped;
        } catch (error) {
          this.stop(error);
          return true;
        }
      },
    );
  }

  /** Whether the call is to end: the library must get no more bytes. */
  get isStopped() {
    return this.#stopped !== undefined || this.#signal?.aborted === true;
  }

  #trigger() {
    if (this.#cancel) native.cancel_trigger(this.#cancel);
    for (const stop of this.#onStop) stop();
  }

  /** Ends the call: its promise is rejected with this error. @param {unknown} error */
  stop(error) {
    this.#stopped ??= { error };
    this.#trigger();
  }

  /** Calls the function when the call is stopped or its signal aborted. @param {() => void} stop */
  onStop(stop) {
    this.#onStop.push(stop);
  }

  /** Runs a call of the library with these settings. @param {(handle: unknown) => any} body @returns {Promise<any>} */
  async run(body) {
    try {
      return await body(this.handle);
    } catch (error) {
      if (!(error instanceof errors.CancelledError)) throw error;
      if (this.#stopped) throw this.#stopped.error;
      if (this.#signal?.aborted) /** @type {any} */ (error).cause = this.#signal.reason;
      throw error;
    } finally {
      this.end();
    }
  }

  end() {
    this.#signal?.removeEventListener('abort', this.#onAbort);
    if (this.handle) native.free(this.handle);
    if (this.#cancel) native.free(this.#cancel);
    this.handle = this.#cancel = null;
  }
}

module.exports = { Call, jsonOf, limit };
