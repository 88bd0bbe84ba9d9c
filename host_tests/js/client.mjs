// Do with an MCP server what a client does, and print a line of JSON: client.mjs v1|v2|v2-auto URL TOKEN TEXT
// (`{"refused": CODE}` where it cannot connect).

const [kind, url, token, text] = process.argv.slice(2);
const { Client, StreamableHTTPClientTransport } = kind.startsWith("v2")
  ? await import("@modelcontextprotocol/client")
  : {
      ...(await import("@modelcontextprotocol/sdk/client/index.js")),
      ...(await import("@modelcontextprotocol/sdk/client/streamableHttp.js")),
    };
const options = kind === "v2-auto" ? { versionNegotiation: { mode: "auto" } } : {};
const client = new Client({ name: "typescript", version: "1" }, options);
const requestInit = { headers: { Authorization: "Bearer " + token } };
const versions = new Set();
const noted = (input, init) => {
  versions.add(new Headers(init?.headers).get("mcp-protocol-version"));
  return fetch(input, init);
};
const transport = new StreamableHTTPClientTransport(new URL(url), { requestInit, fetch: noted });

async function called(name, args) {
  try {
    const result = await client.callTool({ name, arguments: args });
    return [result.isError === true, result.content[0].text];
  } catch (e) {
    return e.code;
  }
}

async function act() {
  const { tools } = await client.listTools();
  const seen = {
    tools: tools.map((tool) => tool.name),
    echo: await called("echo", { text }),
    add: await called("add", { a: 1, b: 2.5 }),
    fail: await called("fail", {}),
    unknown: await called("no_such_tool", {}),
  };
  await transport.terminateSession();
  // Its requests all said the newest version, or none did.
  seen.modern = versions.has("2026-07-28") && versions.size === 1;
  return seen;
}

try {
  await client.connect(transport);
  console.log(JSON.stringify(await act()));
} catch (e) {
  console.log(JSON.stringify({ refused: e.status ?? e.code }));
}
await client.close();
