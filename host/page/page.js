// The page: who is connected, what is shown, and when the robot is asked.

const STATUS = "robot://status";
const EVENTS = "robot://events";
const SCREEN = "robot://screen";
const CALM_MS = 1000; // between two looks at the status
const BUSY_MS = 250;
const AGAIN_MS = [500, 1000, 2000, 4000, 8000, 15000];
const SOFT_MS = 180; // in which the picture goes over to what the status says
const MOST_LINES = 60;

const $ = (id) => document.getElementById(id);
const scene = $("scene").getContext("2d");
const plane = $("face").getContext("2d");
let client = null;
let status = null;
let shown = null; // what is drawn: on its way to the status
let statusTimer = 0;
let reading = false;
let again = false;
let seesPanel = false;
let offered = ""; // the tools, as JSON

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

function tell(text, kind) {
  if ($("state").textContent !== text) $("state").textContent = text;
  $("state").className = kind;
}

////////////////////////////////////////////////////////////////////////////////////////////////////
// In and out

function askForToken(text) {
  if (client) client.close();
  client = status = shown = null;
  offered = "";
  sessionStorage.removeItem("token");
  clearTimeout(statusTimer);
  $("main").hidden = $("leave").hidden = true;
  $("login").hidden = false;
  $("wrong").textContent = text;
  tell("Not connected", "");
  $("token").value = "";
  $("token").focus();
}

// Connects, for as long as it takes.
async function connect(token) {
  if (!/^[!-~]+$/.test(token)) return askForToken("This token is wrong: it has characters that no token has.");
  const mine = (client = new Client(token));
  $("login").hidden = true;
  for (let tries = 0; client === mine; tries++) {
    tell("Connecting …", "");
    try {
      const found = await mine.request("server/discover");
      sessionStorage.setItem("token", token);
      await enter(mine, found);
      return;
    } catch (error) {
      if (client !== mine) return;
      if (error instanceof WrongToken) return askForToken("This token is wrong: the robot has another one.");
      await lost(error, tries);
    }
  }
}

// Of what went wrong: what the robot said, or that it said nothing.
function reason(error) {
  return error instanceof TypeError || error instanceof DOMException ? "The robot does not answer" : error.message;
}

async function lost(error, tries) {
  const ms = AGAIN_MS[Math.min(tries, AGAIN_MS.length - 1)];
  tell(`${reason(error)}; trying again …`, "off");
  await pause(ms);
}

async function enter(mine, found) {
  const about = ((found._meta || {})[META + "serverInfo"] || {});
  document.title = document.querySelector("h1").textContent = about.title || about.name || "Robot";
  await offerTools(mine);
  const { resources = [] } = found.capabilities.resources ? await mine.request("resources/list") : {};
  const has = (uri) => resources.some((one) => one.uri === uri);
  $("views").hidden = !has(SCREEN);
  see(false);
  $("main").hidden = $("leave").hidden = false;
  tell("Connected", "on");
  watch(mine, [STATUS, EVENTS].filter(has));
  if (has(EVENTS)) readEvents(mine);
  if (has(STATUS)) look();
}

// The stream; while there is none, the status is looked at all the same.
async function watch(mine, resourceSubscriptions) {
  for (let tries = 0; client === mine; ) {
    try {
      await mine.listen({ toolsListChanged: true, resourceSubscriptions }, (method, params) => {
        tries = 0;
        const begun = method.endsWith("acknowledged");
        if (begun) refresh();
        if (begun || method.endsWith("tools/list_changed")) offerTools(mine).catch(() => {});
        if (params.uri === STATUS) refresh();
        if (params.uri === EVENTS) readEvents(mine);
      });
    } catch (error) {
      if (error instanceof WrongToken && client === mine) return askForToken("The robot has another token now.");
    }
    await pause(AGAIN_MS[Math.min(tries++, AGAIN_MS.length - 1)]);
  }
}

////////////////////////////////////////////////////////////////////////////////////////////////////
// Calls

async function offerTools(mine) {
  const tools = [];
  let cursor;
  do {
    const page = await mine.request("tools/list", cursor ? { cursor } : {});
    tools.push(...page.tools);
    cursor = page.nextCursor;
  } while (cursor);
  if (client !== mine || offered === JSON.stringify(tools)) return;
  offered = JSON.stringify(tools);
  $("forms").replaceChildren(...tools.map((tool) => toolForm(tool, call)));
}

async function call(name, given, signal) {
  const line = element("li", {}, element("b", { textContent: name }), " …", element("code", { textContent: JSON.stringify(given) }));
  prepend("log", line);
  const since = performance.now();
  let text;
  let bad = false;
  try {
    const result = await client.request("tools/call", { name, arguments: given }, signal);
    bad = result.isError === true;
    text = result.structuredContent && !bad
      ? JSON.stringify(result.structuredContent)
      : (result.content || []).map((one) => one.text || `[${one.type}]`).join("\n");
  } catch (error) {
    if (error instanceof WrongToken) return askForToken("The robot has another token now.");
    bad = true;
    text = signal.aborted ? "cancelled" : reason(error);
  }
  line.className = bad ? "bad" : "ok";
  line.childNodes[1].textContent = ` ${Math.round(performance.now() - since)} ms`;
  line.append(element("code", { textContent: text }));
  refresh();
}

function prepend(id, line) {
  $(id).prepend(line);
  while ($(id).children.length > MOST_LINES) $(id).lastChild.remove();
}

////////////////////////////////////////////////////////////////////////////////////////////////////
// What the robot says

const read = async (mine, uri) => (await mine.request("resources/read", { uri })).contents[0];

// Look now; what has just changed is still on its way, so soon again.
function refresh() {
  again = true;
  if (!reading) look();
}

async function look() {
  clearTimeout(statusTimer);
  const mine = client;
  if (!mine || reading) return;
  reading = true;
  let ms = CALM_MS;
  try {
    status = JSON.parse((await read(mine, STATUS)).text);
    if (seesPanel) {
      const { mimeType, blob } = await read(mine, SCREEN);
      $("panel").src = `data:${mimeType};base64,${blob}`;
    }
    if (client === mine) tell("Connected", "on");
    showFacts();
    if (again || (status.head || {}).moving || (status.voice || {}).busy) ms = BUSY_MS;
    again = false;
  } catch (error) {
    if (client === mine && error instanceof WrongToken) askForToken("The robot has another token now.");
    else if (client === mine) tell(`${reason(error)}; trying again …`, "off");
    ms = 2 * CALM_MS;
  }
  reading = false;
  if (client && !document.hidden) statusTimer = setTimeout(look, ms);
}

let readsEvents = false;

async function readEvents(mine) {
  if (readsEvents) return;
  readsEvents = true;
  try {
    const { events } = JSON.parse((await read(mine, EVENTS)).text);
    const now = Date.now();
    $("events").replaceChildren(
      ...events.reverse().map((one) =>
        element("li", {}, element("b", { textContent: `${one.kind} ${one.name}` }), ` ${JSON.stringify(one.value)}`,
          element("code", { textContent: new Date(now - one.age_ms).toLocaleTimeString() }))),
    );
  } catch {
    // The next one tells of this one too.
  }
  readsEvents = false;
}

function showFacts() {
  const { face, head, battery = {}, system = {}, voice, allowed = {}, faults = {} } = status;
  const facts = [];
  const bad = [];
  if (face) facts.push(face.emotion);
  if (head) facts.push(`yaw ${head.yaw.toFixed(1)}°`, `pitch ${head.pitch.toFixed(1)}°`);
  if (head && head.fault) bad.push(head.fault);
  if (battery.battery_percent !== undefined) facts.push(`battery ${battery.battery_percent} %${battery.charging ? ", charging" : ""}`);
  if (voice) facts.push(`volume ${voice.volume}`);
  if (system.rssi !== undefined) facts.push(`Wi-Fi ${system.rssi} dBm`);
  if (system.heap_free !== undefined) facts.push(`${Math.round(system.heap_free / 1024)} KB free`);
  if (system.uptime_ms !== undefined) facts.push(`up ${Math.round(system.uptime_ms / 60000)} min`);
  if (allowed.motion === false) bad.push("motion off");
  if (allowed.quiet) bad.push("quiet hours");
  for (const part in faults) bad.push(`${part} failed (${faults[part]})`);
  if (face && face.balloon) facts.push("“" + face.balloon.join(" ") + "”");
  const items = [...facts.map((text) => ["", text]), ...bad.map((text) => ["bad", text])];
  $("facts").replaceChildren(...items.map(([className, textContent]) => element("li", { className, textContent })));
  $("scene").setAttribute("aria-label", "The robot: " + facts.slice(0, 3).join(", "));
}

////////////////////////////////////////////////////////////////////////////////////////////////////
// The picture

function see(panel) {
  seesPanel = panel;
  $("panel").hidden = !panel;
  $("scene").hidden = panel;
  $("see-panel").setAttribute("aria-pressed", panel);
  $("see-robot").setAttribute("aria-pressed", !panel);
  if (panel) refresh();
}

// Part of the way from one number, or array of them, to another; whole at its end.
function nearer(from, to, part) {
  if (Array.isArray(to)) return to.map((value, i) => nearer(from ? from[i] : value, value, part));
  return from === undefined || part >= 1 || Math.abs(to - from) < 0.5 ? to : from + (to - from) * part;
}

function follow(dt) {
  const part = 1 - Math.exp((-3 * dt) / SOFT_MS);
  const { face, head = { yaw: 0, pitch: 0 } } = status;
  const before = shown || {};
  shown = {
    yaw: nearer(before.yaw, head.yaw, part),
    pitch: nearer(before.pitch, head.pitch, part),
    face: face && {
      ...face,
      eyes: nearer((before.face || {}).eyes, face.eyes, part),
      mouth: nearer((before.face || {}).mouth, face.mouth, part),
    },
  };
}

let then = 0;

function draw(now) {
  requestAnimationFrame(draw);
  if (!status || $("main").hidden) return;
  follow(now - then);
  then = now;
  if (shown.face) drawFace(plane, shown.face, floor(now / G.EFFECT_PHASE_MS) % G.EFFECT_PHASES);
  const canvas = scene.canvas;
  const width = Math.round(canvas.clientWidth * devicePixelRatio);
  if (!width) return;
  if (canvas.width !== width) {
    canvas.width = width;
    canvas.height = Math.round((width * SCENE_H) / SCENE_W);
  }
  const { lights, calls } = status;
  drawRobot(scene, width, { ...shown, lights, now, call: calls[calls.length - 1] }, plane.canvas);
}

////////////////////////////////////////////////////////////////////////////////////////////////////

plane.canvas.width = G.WIDTH;
plane.canvas.height = G.HEIGHT;
$("login").addEventListener("submit", (event) => {
  event.preventDefault();
  connect($("token").value.trim());
});
$("leave").addEventListener("click", () => askForToken(""));
$("see-robot").addEventListener("click", () => see(false));
$("see-panel").addEventListener("click", () => see(true));
document.addEventListener("visibilitychange", () => {
  if (!document.hidden && client && status) refresh();
});
const given = location.hash.slice(1) || sessionStorage.getItem("token");
if (location.hash) history.replaceState(null, "", location.pathname);
if (given) connect(given);
else askForToken("");
requestAnimationFrame(draw);
