// The page of the service. Its forms are made from the service's own description; it uses the interface as any client.
"use strict";

const byId = (id) => document.getElementById(id);
const KEY = "recto-key";
let key = sessionStorage.getItem(KEY);
let operations = [];
let listed = ""; // what the list shows
let running = null; // {fileId, cancelled} of the document in work

/** An element with text and attributes; text never becomes markup. */
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) made.setAttribute(attribute, value === true ? "" : value);
  }
  made.append(...children);
  return made;
}

/** What the service refused, in its own words. */
class Refused extends Error {
  constructor(problem, status) {
    super(problem.detail || problem.title || `the service answered ${status}`);
    this.status = status;
  }
}

async function ask(path, { method = "GET", body, headers = {} } = {}) {
  const all = { Accept: "application/json", "X-Api-Key": key, ...headers };
  if (body !== undefined) all["Content-Type"] = "application/json";
  const answer = await fetch(path, { method, headers: all, body: body === undefined ? undefined : JSON.stringify(body) });
  const text = await answer.text();
  let json = {};
  try { json = JSON.parse(text); } catch { /* an answer of something between */ }
  if (!answer.ok) throw new Refused(json, answer.status);
  return json;
}

/** Sends the bytes; `fetch` tells nothing of how far it is. */
function upload(address, file, tell) {
  return new Promise((done, failed) => {
    const request = new XMLHttpRequest();
    request.open("PUT", address);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.upload.onprogress = (event) => event.lengthComputable && tell(event.loaded, event.total);
    request.onerror = () => failed(new Error("the connection broke off while the document was sent"));
    request.onload = () => {
      if (request.status === 200) return done();
      let problem = {};
      try { problem = JSON.parse(request.responseText); } catch { /* as above */ }
      failed(new Refused(problem, request.status));
    };
    request.send(file);
  });
}

// --- the key ---

async function unlock(offered) {
  key = offered;
  try {
    await ask("page/operations");
  } catch (error) {
    key = null;
    sessionStorage.removeItem(KEY);
    byId("unlock-error").textContent = error.status === 401 ? "That is not the key of this service." : error.message;
    show(false);
    byId("key").focus();
    return;
  }
  sessionStorage.setItem(KEY, key);
  byId("key").value = "";
  byId("unlock-error").textContent = "";
  show(true);
  refresh();
}

function show(unlocked) {
  byId("unlock").hidden = unlocked;
  byId("start").hidden = !unlocked;
  byId("history").hidden = !unlocked;
}

/** A link that `recto serve` printed opens the page once: its word is changed for the key. */
async function redeem() {
  const once = new URLSearchParams(location.hash.slice(1)).get("once");
  if (!once) return;
  history.replaceState(null, "", location.pathname);
  try {
    key = (await ask("page/key", { method: "POST", body: { once } })).key;
  } catch (error) {
    byId("unlock-error").textContent = error.message;
  }
}

// --- the form ---

function learn(description) {
  byId("service").textContent = `version ${description.info.version}`;
  for (const [path, methods] of Object.entries(description.paths)) {
    const post = methods.post;
    if (!post || !post["x-name"] || operations.some((known) => known.name === post["x-name"])) continue;
    const body = post.requestBody.content["application/json"].schema;
    operations.push({
      name: post["x-name"], path: path.slice(1), about: post.summary, accepts: post["x-accepts"],
      options: body.properties.options, order: post["x-options"],
    });
  }
  offer();
}

/** Offers the operations that take the chosen document. */
function offer() {
  const file = byId("file").files[0];
  const extension = file ? file.name.toLowerCase().split(".").pop() : null;
  const fitting = operations.filter((known) => extension === null || known.accepts.includes(extension));
  const offered = fitting.length ? fitting : operations;
  const select = byId("operation");
  const chosen = select.value;
  select.replaceChildren(...offered.map((known) => element("option", { value: known.name }, known.name)));
  if (offered.some((known) => known.name === chosen)) select.value = chosen;
  describe();
}

function describe() {
  const chosen = operations.find((known) => known.name === byId("operation").value);
  if (!chosen) return;
  byId("about").textContent = `${chosen.about} Takes ${chosen.accepts.map((extension) => "." + extension).join(", ")}.`;
  const isNeeded = ([name]) => (chosen.options.required || []).includes(name);
  const all = inOrder(chosen.options.properties || {}, [], chosen.order);
  const fields = [...all.filter(isNeeded), ...all.filter((entry) => !isNeeded(entry))];
  const made = fields.map(([name, schema]) => field([name], schema, (chosen.options.required || []).includes(name), chosen.order));
  byId("options").hidden = made.length === 0;
  byId("options").replaceChildren(element("legend", {}, "Options"), element("div", { class: "fields" }, ...made));
}

const typeOf = (schema) => [schema.type].flat().find((type) => type !== "null");
const words = (name) => name.replace(/([A-Z])/g, " $1").toLowerCase().replace(/^./, (first) => first.toUpperCase());

/** Options as the description orders them; JSON objects have no order. */
function inOrder(properties, parents, order) {
  const place = ([name]) => order.findIndex((path) => `${path}.`.startsWith(`${[...parents, name].join(".")}.`));
  return Object.entries(properties).sort((one, other) => place(one) - place(other));
}

/** The input for one option; an object's stand together. */
function field(path, schema, required, order) {
  const name = path[path.length - 1];
  if (typeOf(schema) === "object") {
    const inner = inOrder(schema.properties, path, order).map(([child, of]) => field([...path, child], of, false, order));
    const needed = schema.required ? `Needs ${schema.required.join(" and ")}, if any is given.` : "";
    return element("fieldset", {}, element("legend", {}, words(name)),
      ...(needed ? [element("p", { class: "help" }, needed)] : []), element("div", { class: "fields" }, ...inner));
  }
  const id = `option-${path.join("-")}`;
  const attributes = { id, "data-path": path.join("."), "data-type": typeOf(schema), "aria-describedby": `${id}-help`, required };
  const help = [schema.description, schema.default === undefined ? null : `default ${schema.default}`].filter(Boolean).join("; ");
  const about = element("p", { class: "help", id: `${id}-help` }, help);
  let input;
  if (schema.enum) {
    const values = schema.enum.filter((value) => value !== null);
    input = element("select", attributes, ...(required ? [] : [element("option", { value: "" }, "—")]),
      ...values.map((value) => element("option", { value }, value)));
  } else if (typeOf(schema) === "boolean") {
    input = element("select", attributes, ...["", "true", "false"].map((value) => element("option", { value }, value || "—")));
  } else if (["integer", "number"].includes(typeOf(schema))) {
    input = element("input", { ...attributes, type: "number", min: schema.minimum ?? schema.exclusiveMinimum, max: schema.maximum,
      step: typeOf(schema) === "integer" ? 1 : "any", inputmode: "decimal" });
  } else {
    const secret = schema.format === "password";
    input = element("input", { ...attributes, type: secret ? "password" : "text", autocomplete: secret ? "new-password" : "off" });
  }
  return element("div", {}, element("label", { for: id }, words(name) + (required ? " (needed)" : "")), input, about);
}

function chosenOptions() {
  const options = {};
  for (const input of byId("options").querySelectorAll("[data-path]")) {
    if (input.value === "") continue;
    const path = input.dataset.path.split(".");
    const last = path.pop();
    let object = options;
    for (const step of path) object = object[step] ??= {};
    object[last] = { integer: Number, number: Number, boolean: (text) => text === "true" }[input.dataset.type]?.(input.value) ?? input.value;
  }
  return Object.keys(options).length ? options : undefined;
}

// --- the work ---

function tell(state, done, total) {
  byId("state").textContent = state;
  const bar = byId("progress");
  bar.hidden = done === undefined;
  if (total) { bar.max = total; bar.value = done; } else { bar.removeAttribute("value"); }
}

async function start(event) {
  event.preventDefault();
  const file = byId("file").files[0];
  if (!file) {
    byId("outcome").hidden = false;
    byId("failure").textContent = "Choose a document first.";
    byId("file").focus();
    return;
  }
  const chosen = operations.find((known) => known.name === byId("operation").value);
  const mine = (running = { cancelled: false });
  byId("outcome").hidden = false;
  byId("outcome").scrollIntoView({ block: "nearest" });
  byId("failure").textContent = "";
  byId("download").replaceChildren();
  byId("notes").replaceChildren();
  byId("go").disabled = true;
  byId("cancel").hidden = false;
  try {
    await work(chosen, file, mine);
  } catch (error) {
    tell("");
    byId("failure").textContent = error.message;
  }
  byId("go").disabled = false;
  byId("cancel").hidden = true;
  running = null;
  refresh();
}

async function work(chosen, file, mine) {
  tell("Sending the document…", 0);
  const ticket = await ask("v1/files/upload/fromLocal", { method: "POST", body: { fileName: file.name } });
  mine.fileId = ticket.fileId;
  await upload(ticket.uploadUrl, file, (done, total) => tell("Sending the document…", done, total));
  const body = { input: { fileId: ticket.fileId }, options: chosenOptions() };
  const handle = await ask(chosen.path, { method: "POST", body });
  refresh();
  const began = performance.now();
  for (;;) {
    const result = await ask(`v1/operations/${encodeURIComponent(handle.operationId)}/result`, { headers: { Prefer: "wait=1" } });
    if (result.operationStatus !== "inProgress") return finish(result, performance.now() - began);
    if (result.progress) tell(`Working: ${result.progress.done} of ${result.progress.total}`, result.progress.done, result.progress.total);
    else tell("Working…", 0);
  }
}

function finish(result, took) {
  if (result.error) throw new Error(result.error.detail);
  tell(`Done in ${seconds(took)}.`);
  if (result.outputFile) {
    const { url, name } = result.outputFile;
    const link = element("a", { href: url, download: name }, `Save ${name}`);
    byId("download").replaceChildren(link);
  }
  const report = result.validation;
  if (report) {
    const claimed = report.conformance ? ` It claims ${report.conformance}.` : "";
    byId("download").textContent = (report.isConforming ? "The document conforms." : "The document does not conform.") + claimed;
  }
  const notes = [...(report ? report.errors : []), ...(result.notes || [])];
  byId("notes").replaceChildren(...notes.map((note) => element("li", {}, note)));
}

async function cancel() {
  if (running && running.fileId) await ask(`v1/files/${encodeURIComponent(running.fileId)}`, { method: "DELETE" }).catch(() => {});
}

// --- the list ---

const seconds = (milliseconds) => (milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`);

async function refresh() {
  if (!key) return;
  let list;
  try { list = (await ask("page/operations")).operations; } catch { return; }
  // What has not changed stays as it is, for who reads or marks it.
  if (JSON.stringify(list) === listed) return;
  listed = JSON.stringify(list);
  byId("none").hidden = list.length > 0;
  byId("operations").replaceChildren(...list.map((operation) => {
    const state = operation.code ? `failed: ${operation.code}` : operation.status;
    const took = operation.endedAt ? seconds(new Date(operation.endedAt) - new Date(operation.startedAt)) : "";
    const when = new Date(operation.startedAt);
    return element("tr", { "data-id": operation.operationId },
      element("td", {}, element("time", { datetime: operation.startedAt }, when.toLocaleTimeString())),
      element("td", {}, operation.name),
      element("td", { class: operation.code ? "failed" : operation.status }, state),
      element("td", {}, took));
  }));
}

// --- the beginning ---

function listen() {
  byId("unlock").addEventListener("submit", (event) => { event.preventDefault(); unlock(byId("key").value.trim()); });
  byId("start").addEventListener("submit", start);
  byId("cancel").addEventListener("click", cancel);
  byId("file").addEventListener("change", offer);
  byId("operation").addEventListener("change", describe);
  const drop = byId("drop");
  for (const name of ["dragenter", "dragover"]) {
    drop.addEventListener(name, (event) => { event.preventDefault(); drop.classList.add("over"); });
  }
  for (const name of ["dragleave", "drop"]) drop.addEventListener(name, () => drop.classList.remove("over"));
  // A document that is dropped beside would replace the page.
  for (const name of ["dragover", "drop"]) document.addEventListener(name, (event) => event.preventDefault());
  drop.addEventListener("drop", (event) => {
    if (!event.dataTransfer.files.length) return;
    byId("file").files = event.dataTransfer.files;
    offer();
  });
  // A link that is opened where the page is already.
  window.addEventListener("hashchange", enter);
  setInterval(() => { if (!document.hidden) refresh(); }, 3000);
}

async function enter() {
  await redeem();
  if (key) await unlock(key); else show(false);
}

async function begin() {
  listen();
  learn(await (await fetch("openapi.json")).json());
  await enter();
}

begin();
