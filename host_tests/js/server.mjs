// A server of the TypeScript SDK: server.mjs PORT. It answers with documents at /json and with event streams at /sse and
// /stateless, the last without sessions. Prints `listening on HOST:PORT`, and a line `@json POST 200` for each answer.

import { randomUUID } from "node:crypto";
import { createServer } from "node:http";
import { Server } from "@modelcontextprotocol/sdk/server/index.js";
import { StreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/streamableHttp.js";
import {
  CallToolRequestSchema,
  CompleteRequestSchema,
  CreateMessageResultSchema,
  ElicitResultSchema,
  EmptyResultSchema,
  ErrorCode,
  GetPromptRequestSchema,
  ListPromptsRequestSchema,
  ListResourcesRequestSchema,
  ListRootsResultSchema,
  ListToolsRequestSchema,
  McpError,
  ReadResourceRequestSchema,
  SetLevelRequestSchema,
  SubscribeRequestSchema,
} from "@modelcontextprotocol/sdk/types.js";

const TOKEN = "peer-token-0123456789";
const MODES = { "/json": [true, true], "/sse": [false, true], "/stateless": [false, false] };
const text = (text) => ({ content: [{ type: "text", text }] });

const TOOLS = {
  echo: (args) => text("Echo: " + args.text),
  add: (args) => text(`${args.a} + ${args.b} = ${args.a + args.b}`),
  fail: () => ({ ...text("this tool always fails"), isError: true }),
  slow: (args, extra) =>
    new Promise((resolve) => {
      const timer = setTimeout(() => resolve(text("slept")), 20000);
      extra.signal.addEventListener("abort", () => {
        clearTimeout(timer);
        console.log("@slow cancelled");
        resolve(text("cancelled"));
      });
    }),
  chatty: async (args, extra) => {
    for (const data of ["half-way", "nearly there"]) {
      await extra.sendNotification({ method: "notifications/message", params: { level: "info", data } });
      const progressToken = extra._meta?.progressToken ?? 1;
      await extra.sendNotification({ method: "notifications/progress", params: { progressToken, progress: 1 } });
    }
    return text("chatted");
  },
  ask: async (args, extra) => {
    await extra.sendRequest({ method: "ping" }, EmptyResultSchema, { timeout: 5000 });
    return text("pong");
  },
  elicit: async (args, extra) => {
    const params = { message: "Who?", requestedSchema: FORM };
    const { content } = await extra.sendRequest({ method: "elicitation/create", params }, ElicitResultSchema);
    return text(`${content.name} is ${content.age}`);
  },
  sample: async (args, extra) => {
    const messages = [{ role: "user", content: { type: "text", text: "Say it" } }];
    const request = { method: "sampling/createMessage", params: { messages, maxTokens: 10 } };
    return text((await extra.sendRequest(request, CreateMessageResultSchema)).content.text);
  },
  roots: async (args, extra) => {
    const { roots } = await extra.sendRequest({ method: "roots/list" }, ListRootsResultSchema);
    return text(roots.map((root) => root.uri).join(" "));
  },
  change: async (args, extra, server) => {
    await server.sendToolListChanged();
    return text("changed");
  },
};
const FORM = {
  type: "object",
  properties: { name: { type: "string" }, age: { type: "integer", default: 30 } },
  required: ["name"],
};

function addMore(server) {
  server.setRequestHandler(ListResourcesRequestSchema, () => ({ resources: [{ uri: "test://text", name: "text" }] }));
  server.setRequestHandler(ReadResourceRequestSchema, ({ params: { uri } }) => {
    if (uri !== "test://text") throw new McpError(-32002, "Resource not found", { uri });
    return { contents: [{ uri, text: "some text" }] };
  });
  server.setRequestHandler(SubscribeRequestSchema, () => ({}));
  server.setRequestHandler(SetLevelRequestSchema, () => ({}));
  server.setRequestHandler(ListPromptsRequestSchema, () => ({ prompts: [{ name: "greet" }] }));
  server.setRequestHandler(GetPromptRequestSchema, ({ params }) => ({
    messages: [{ role: "user", content: { type: "text", text: "Greet " + params.arguments.name } }],
  }));
  server.setRequestHandler(CompleteRequestSchema, ({ params: { argument } }) => ({
    completion: { values: [argument.value + "a", argument.value + "b"] },
  }));
}

function mcpServer() {
  const server = new Server({ name: "typescript-sdk", version: "1" }, {
    capabilities: { tools: { listChanged: true }, resources: { subscribe: true }, prompts: {}, completions: {}, logging: {} },
  });
  addMore(server);
  server.setRequestHandler(ListToolsRequestSchema, () => ({
    tools: Object.keys(TOOLS).map((name) => ({ name, inputSchema: { type: "object" } })),
  }));
  server.setRequestHandler(CallToolRequestSchema, ({ params }, extra) => {
    if (!TOOLS[params.name]) throw new McpError(ErrorCode.InvalidParams, "no such tool");
    return TOOLS[params.name](params.arguments, extra, server);
  });
  return server;
}

const sessions = new Map();

async function transportFor(id, [enableJsonResponse, stateful]) {
  if (sessions.has(id)) return sessions.get(id);
  const transport = new StreamableHTTPServerTransport({
    enableJsonResponse,
    sessionIdGenerator: stateful ? randomUUID : undefined,
    onsessioninitialized: (id) => sessions.set(id, transport),
    onsessionclosed: (id) => sessions.delete(id),
  });
  await mcpServer().connect(transport);
  return transport;
}

function refuse(res, status) {
  res.writeHead(status, { "Content-Type": "application/json" });
  res.end('{"jsonrpc":"2.0","error":{"code":-32001,"message":"refused"},"id":null}');
}

// Said before it is sent, so that whoever has the answer can read it here.
function note(req, res) {
  const writeHead = res.writeHead;
  res.writeHead = (status, ...rest) => {
    console.log(`@${req.url.slice(1)} ${req.method} ${status}`);
    return writeHead.call(res, status, ...rest);
  };
}

async function handle(req, res) {
  note(req, res);
  const id = req.headers["mcp-session-id"];
  if (req.headers.authorization !== "Bearer " + TOKEN) return refuse(res, 401);
  if (id !== undefined && !sessions.has(id)) return refuse(res, 404);
  await (await transportFor(id, MODES[req.url])).handleRequest(req, res);
}

const port = Number(process.argv[2]);
createServer(handle).listen(port, "127.0.0.1", () => console.log(`listening on 127.0.0.1:${port}`));
