/** Returns the texts to copy for connecting a program to the daemon. `origin` is absent if the daemon has another address. */
export function connectSnippets(origin: string | undefined, needsToken: boolean) {
  const address = `${origin ?? "http://<daemon>"}/mcp`;
  const headers = needsToken ? { headers: { Authorization: "Bearer <token>" } } : {};
  return {
    address,
    config: { mcpServers: { argosy: { type: "http", url: address, ...headers } } },
    inspect: [
      `npx @modelcontextprotocol/inspector --cli ${address} --transport http`,
      ...(needsToken ? [`--header "Authorization: Bearer <token>"`] : []),
      "--method tools/list",
    ].join(" \\\n  "),
  };
}
