// An MCP client of 2026-07-28: one request at a time on one connection, and a stream on another.

const PROTOCOL = "2026-07-28";
const META = "io.modelcontextprotocol/";
const ANSWER_MS = 10000;
const TOOL_MS = 80000;
const SILENCE_MS = 40000; // The robot says every 15 s that a stream is alive.

class WrongToken extends Error {}

class Client {
  constructor(token) {
    this.token = token;
    this.id = 0;
    this.last = Promise.resolve();
    this.closing = new AbortController();
  }

  close() {
    this.closing.abort();
  }

  // The result of a request. Throws WrongToken, TypeError (it does not answer), Error (what it says).
  request(method, params = {}, signal = null) {
    const mine = this.last.then(() => this.answer(method, params, signal));
    this.last = mine.catch(() => {});
    return mine;
  }

  async answer(method, params, signal) {
    const limit = AbortSignal.timeout(method === "tools/call" ? TOOL_MS : ANSWER_MS);
    const response = await this.post(method, params, signal ? [signal, limit] : [limit]);
    for await (const message of messages(response)) {
      if (message.error) throw new Error(message.error.message);
      if (message.result) return message.result;
    }
    throw new TypeError("no answer");
  }

  // Hears what changes until the stream is over. heard(method, params) for each notification.
  async listen(notifications, heard) {
    const silence = new AbortController();
    let timer;
    const alive = () => {
      clearTimeout(timer);
      timer = setTimeout(() => silence.abort(), SILENCE_MS);
    };
    alive();
    try {
      const response = await this.post("subscriptions/listen", { notifications }, [silence.signal]);
      for await (const message of messages(response, alive)) {
        if (message.error) throw new Error(message.error.message);
        if (message.method) heard(message.method, message.params);
      }
    } finally {
      clearTimeout(timer);
    }
  }

  async post(method, params, signals) {
    const headers = {
      "Authorization": "Bearer " + this.token,
      "Content-Type": "application/json",
      "Accept": "application/json, text/event-stream",
      "MCP-Protocol-Version": PROTOCOL,
      "Mcp-Method": method,
    };
    const name = params.name || params.uri;
    if (name) headers["Mcp-Name"] = name;
    const meta = {
      [META + "protocolVersion"]: PROTOCOL,
      [META + "clientInfo"]: { name: "tsumiki-page", version: "1" },
      [META + "clientCapabilities"]: {},
    };
    const body = JSON.stringify({ jsonrpc: "2.0", id: ++this.id, method, params: { ...params, _meta: meta } });
    const signal = AbortSignal.any([this.closing.signal, ...signals]);
    const response = await fetch("/mcp", { method: "POST", headers, body, signal, cache: "no-store" });
    if (response.status === 401) throw new WrongToken();
    return response;
  }
}

// The JSON-RPC messages of an answer, be it one or a stream of events.
async function* messages(response, alive = () => {}) {
  if (!(response.headers.get("Content-Type") || "").startsWith("text/event-stream")) {
    const message = await response.json();
    if (!response.ok && !(message.error && message.error.message)) {
      throw new Error(message.message || "HTTP " + response.status);
    }
    yield message;
    return;
  }
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    alive();
    text += value;
    const lines = text.split(/\r?\n/);
    text = lines.pop();
    for (const line of lines) {
      if (line.startsWith("data:") && line.length > 6) yield JSON.parse(line.slice(5));
    }
  }
}
