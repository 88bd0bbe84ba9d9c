// Preload of the suite, which has no option for a token: puts $CONFORMANCE_TOKEN on its requests to $CONFORMANCE_URL.
// fetch and undici tell of each request on one channel, node:http on another, before the head is written.

import { subscribe } from "node:diagnostics_channel";

const value = "Bearer " + process.env.CONFORMANCE_TOKEN;
const { origin, host } = new URL(process.env.CONFORMANCE_URL);

subscribe("undici:request:create", ({ request }) => {
  if (request.origin === origin) request.addHeader("authorization", value);
});
subscribe("http.client.request.created", ({ request }) => {
  if (request.getHeader("host") === host) request.setHeader("authorization", value);
});
