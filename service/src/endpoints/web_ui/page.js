// The web page of the service. The form on the page is generated from the OpenAPI description. The page uses the same
// endpoints as any client, and the endpoints below `/page`.
"use strict";

const byId = (id) => document.getElementById(id);
const KEY = "recto-key";
let key = sessionStorage.getItem(KEY);
let operations = [];
let listed = ""; // the operations in the list, as JSON
let running = null; // {fileId} of the running operation

/** The text, in which characters that would reorder or hide a part of it are escaped: it may quote a document. */
function printable(text) {
  return String(text).replace(/[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu,
    (character) => `\\u{${character.codePointAt(0).toString(16)}}`);
}

/** Creates an element with text and attributes; text is never parsed as markup. */
function element(name, attributes = {}, ...children) {
  const created = document.createElement(name);
  for (const [attribute, value] of Object.entries(attributes)) {
    if (value !== null && value !== undefined && value !== false) created.setAttribute(attribute, value === true ? "" : value);
  }
  created.append(...children);
  return created;
}

/** An error response, with the detail of its problem. */
class ProblemError extends Error {
  constructor(problem, status) {
    super(printable(problem.detail || problem.title || "") || `the service responded with status ${status}`);
    this.status = status;
  }
}

async function request(path, { method = "GET", body, headers = {} } = {}) {
  const all = { Accept: "application/json", "X-Api-Key": key, ...headers };
  if (body !== undefined) all["Content-Type"] = "application/json";
  const response = await fetch(path, { method, headers: all, body: body === undefined ? undefined : JSON.stringify(body) });
  const text = await response.text();
  let json = {};
  try { json = JSON.parse(text); } catch { /* a proxy may send something else */ }
  if (!response.ok) throw new ProblemError(json, response.status);
  return json;
}

/** Uploads the bytes with XMLHttpRequest, because `fetch` reports no progress. */
function upload(address, file, onProgress) {
  return new Promise((done, failed) => {
    const request = new XMLHttpRequest();
    request.open("PUT", address);
    request.setRequestHeader("Content-Type", "application/octet-stream");
    request.upload.onprogress = (event) => event.lengthComputable && onProgress(event.loaded, event.total);
    request.onerror = () => failed(new Error("the connection failed during the upload; try again"));
    request.onload = () => {
      if (request.status === 200) return done();
      let problem = {};
      try { problem = JSON.parse(request.responseText); } catch { /* as above */ }
      failed(new ProblemError(problem, request.status));
    };
    request.send(file);
  });
}

// --- the key ---

async function useKey(offered) {
  key = offered;
  try {
    await request("page/operations");
  } catch (error) {
    key = null;
    sessionStorage.removeItem(KEY);
    byId("unlock-error").textContent = error.status === 401 ? "This is not the API key of this service." : error.message;
    show(false);
    byId("key").focus();
    return;
  }
  sessionStorage.setItem(KEY, key);
  byId("key").value = "";
  byId("unlock-error").textContent = "";
  show(true);
  refreshList();
}

function show(unlocked) {
  byId("unlock").hidden = unlocked;
  byId("start").hidden = !unlocked;
  byId("history").hidden = !unlocked;
}

/** Exchanges the one-time token in the link that `recto serve` printed for the API key. */
async function redeemToken() {
  const once = new URLSearchParams(location.hash.slice(1)).get("once");
  if (!once) return;
  history.replaceState(null, "", location.pathname);
  try {
    key = (await request("page/key", { method: "POST", body: { once } })).key;
  } catch (error) {
    byId("unlock-error").textContent = error.message;
  }
}

// --- the form ---

function loadOperations(description) {
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
  showOperations();
}

/** Shows the operations that accept the chosen document. */
function showOperations() {
  const file = byId("file").files[0];
  const extension = file ? file.name.toLowerCase().split(".").pop() : null;
  const matching = operations.filter((known) => extension === null || known.accepts.includes(extension));
  const offered = matching.length ? matching : operations;
  const select = byId("operation");
  const chosen = select.value;
  select.replaceChildren(...offered.map((known) => element("option", { value: known.name }, known.name)));
  if (offered.some((known) => known.name === chosen)) select.value = chosen;
  showOptions();
}

function showOptions() {
  const chosen = operations.find((known) => known.name === byId("operation").value);
  if (!chosen) return;
  byId("about").textContent = `${chosen.about} Accepts ${chosen.accepts.map((extension) => "." + extension).join(", ")}.`;
  const isNeeded = ([name]) => (chosen.options.required || []).includes(name);
  const all = inOrder(chosen.options.properties || {}, [], chosen.order);
  const fields = [...all.filter(isNeeded), ...all.filter((entry) => !isNeeded(entry))];
  const created = fields.map(([name, schema]) => field([name], schema, (chosen.options.required || []).includes(name), chosen.order));
  byId("options").hidden = created.length === 0;
  byId("options").replaceChildren(element("legend", {}, "Options"), element("div", { class: "fields" }, ...created));
}

const typeOf = (schema) => [schema.type].flat().find((type) => type !== "null");
const words = (name) => name.replace(/([A-Z])/g, " $1").toLowerCase().replace(/^./, (first) => first.toUpperCase());

/** Sorts options as `x-options` does, because JSON objects have no order. */
function inOrder(properties, parents, order) {
  const place = ([name]) => order.findIndex((path) => `${path}.`.startsWith(`${[...parents, name].join(".")}.`));
  return Object.entries(properties).sort((one, other) => place(one) - place(other));
}

/** The input for one option, or a group of inputs for an object. */
function field(path, schema, required, order) {
  const name = path[path.length - 1];
  if (typeOf(schema) === "object") {
    const inner = inOrder(schema.properties, path, order).map(([child, of]) => field([...path, child], of, false, order));
    const needed = schema.required ? `If you set any of these, also set ${schema.required.join(" and ")}.` : "";
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
  return element("div", {}, element("label", { for: id }, words(name) + (required ? " (required)" : "")), input, about);
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

// --- run an operation ---

function showState(state, done, total) {
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
  const current = (running = {});
  byId("outcome").hidden = false;
  byId("outcome").scrollIntoView({ block: "nearest" });
  byId("failure").textContent = "";
  byId("download").replaceChildren();
  byId("notes").replaceChildren();
  byId("go").disabled = true;
  byId("cancel").hidden = false;
  try {
    await runOperation(chosen, file, current);
  } catch (error) {
    showState("");
    byId("failure").textContent = error.message;
  }
  byId("go").disabled = false;
  byId("cancel").hidden = true;
  running = null;
  refreshList();
}

async function runOperation(chosen, file, current) {
  showState("Uploading the document…", 0);
  const ticket = await request("v1/files/upload/fromLocal", { method: "POST", body: { fileName: file.name } });
  current.fileId = ticket.fileId;
  await upload(ticket.uploadUrl, file, (done, total) => showState("Uploading the document…", done, total));
  const body = { input: { fileId: ticket.fileId }, options: chosenOptions() };
  const handle = await request(chosen.path, { method: "POST", body });
  refreshList();
  const startedAt = performance.now();
  for (;;) {
    const result = await request(`v1/operations/${encodeURIComponent(handle.operationId)}/result`, { headers: { Prefer: "wait=1" } });
    if (result.operationStatus !== "inProgress") return finish(result, performance.now() - startedAt);
    if (result.progress) showState(`Working: ${result.progress.done} of ${result.progress.total}`, result.progress.done, result.progress.total);
    else showState("Working…", 0);
  }
}

function finish(result, duration) {
  if (result.error) throw new Error(printable(result.error.detail));
  showState(`Done in ${seconds(duration)}.`);
  if (result.outputFile) {
    const { url, name } = result.outputFile;
    const link = element("a", { href: url, download: name }, `Save ${printable(name)}`);
    byId("download").replaceChildren(link);
  }
  const report = result.validation;
  if (report) {
    const declared = report.conformance ? ` It declares ${printable(report.conformance)}.` : "";
    byId("download").textContent = (report.isConforming ? "The document conforms." : "The document does not conform.") + declared;
  }
  const notes = [...(report ? report.errors : []), ...(result.notes || [])];
  byId("notes").replaceChildren(...notes.map((note) => element("li", {}, printable(note))));
}

async function cancel() {
  if (running && running.fileId) await request(`v1/files/${encodeURIComponent(running.fileId)}`, { method: "DELETE" }).catch(() => {});
}

// --- the list of operations ---

const seconds = (milliseconds) => (milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`);

async function refreshList() {
  if (!key) return;
  let list;
  try { list = (await request("page/operations")).operations; } catch { return; }
  // The list on the page is not replaced if it has not changed. So the user's selection stays, and a screen reader does
  // not read the list again.
  if (JSON.stringify(list) === listed) return;
  listed = JSON.stringify(list);
  byId("none").hidden = list.length > 0;
  byId("operations").replaceChildren(...list.map((operation) => {
    const state = operation.code ? `failed: ${operation.code}` : operation.status;
    const duration = operation.endedAt ? seconds(new Date(operation.endedAt) - new Date(operation.startedAt)) : "";
    const when = new Date(operation.startedAt);
    return element("tr", { "data-id": operation.operationId },
      element("td", {}, element("time", { datetime: operation.startedAt }, when.toLocaleTimeString())),
      element("td", {}, operation.name),
      element("td", { class: operation.code ? "failed" : operation.status }, state),
      element("td", {}, duration));
  }));
}

// --- start ---

function addListeners() {
  byId("unlock").addEventListener("submit", (event) => { event.preventDefault(); useKey(byId("key").value.trim()); });
  byId("start").addEventListener("submit", start);
  byId("cancel").addEventListener("click", cancel);
  byId("file").addEventListener("change", showOperations);
  byId("operation").addEventListener("change", showOptions);
  const drop = byId("drop");
  for (const name of ["dragenter", "dragover"]) {
    drop.addEventListener(name, (event) => { event.preventDefault(); drop.classList.add("over"); });
  }
  for (const name of ["dragleave", "drop"]) drop.addEventListener(name, () => drop.classList.remove("over"));
  // Without these listeners, the browser would replace the page by a document that the user drops outside the field.
  for (const name of ["dragover", "drop"]) document.addEventListener(name, (event) => event.preventDefault());
  drop.addEventListener("drop", (event) => {
    if (!event.dataTransfer.files.length) return;
    byId("file").files = event.dataTransfer.files;
    showOperations();
  });
  // The user may open a new link in a tab that already shows this page. Then only the hash of the address changes.
  window.addEventListener("hashchange", openPage);
  setInterval(() => { if (!document.hidden) refreshList(); }, 3000);
}

async function openPage() {
  await redeemToken();
  if (key) await useKey(key); else show(false);
}

async function startPage() {
  addListeners();
  loadOperations(await (await fetch("openapi.json")).json());
  await openPage();
}

startPage();
