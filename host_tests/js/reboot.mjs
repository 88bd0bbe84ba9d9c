// A client that is told what to call while its server comes and goes: reboot.mjs v1|v2|v2-auto URL TOKEN
// It prints `{"id":0}` when it is connected; each line `{"id":N,"name":TOOL}` on stdin is a call, and its answer is
// `{"id":N,"text":...}` or `{"id":N,"error":...}`. Asked for a name, the user prints `{"id":"asked"}`, waits for
// `{"id":"answer"}` and says Ada.

import { createInterface } from "node:readline";

const [kind, url, token] = process.argv.slice(2);
const v2 = kind.startsWith("v2");
const { Client, StreamableHTTPClientTransport } = v2
  ? await import("@modelcontextprotocol/client")
  : {
      ...(await import("@modelcontextprotocol/sdk/client/index.js")),
      ...(await import("@modelcontextprotocol/sdk/client/streamableHttp.js")),
    };
const elicitation = v2
  ? "elicitation/create"
  : (await import("@modelcontextprotocol/sdk/types.js")).ElicitRequestSchema;
const capabilities = { elicitation: {} };
const options = kind === "v2-auto" ? { capabilities, versionNegotiation: { mode: "auto" } } : { capabilities };
const client = new Client({ name: "reboot", version: "1" }, options);
const requestInit = { headers: { Authorization: "Bearer " + token } };
let answer;

function say(message) {
  console.log(JSON.stringify(message));
}

client.setRequestHandler(elicitation, async () => {
  say({ id: "asked" });
  await new Promise((resolve) => (answer = resolve));
  return { action: "accept", content: { name: "Ada" } };
});

async function call({ id, name }) {
  try {
    const result = await client.callTool({ name, arguments: {} });
    say({ id, text: result.content[0].text });
  } catch (e) {
    say({ id, error: `${e} (${e.cause})` });
  }
}

await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
say({ id: 0 });
for await (const line of createInterface({ input: process.stdin })) {
  const message = JSON.parse(line);
  if (message.id === "answer") answer();
  else call(message);
}
