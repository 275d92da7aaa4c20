/** A web server of another origin with a page that embeds a chat. */
export interface ForeignSite extends Disposable {
  origin: string;
}

export interface ForeignPage {
  /** Address of the gateway. */
  gateway: string;
  account?: string;
  /** Further attributes of the script's tag. */
  attributes?: string;
  head?: string;
  /** Policy of the page: by default what `docs/gateway.md` names, and nothing else. */
  policy?: string;
}

/** Serves one page at every path, on a free port. The page may be changed while it is served. */
export function startForeignSite(page: () => ForeignPage): ForeignSite {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch() {
      const { gateway, account = "shop", attributes = "", head = "", policy } = page();
      const text = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>A shop</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="data:text/css,">
${head}
<script src="${gateway}/webchat/widget.js" data-account="${account}" ${attributes} async></script>
</head>
<body><main><h1>Tea shop</h1><p>We sell <a href="#tea">tea</a>.</p><p><input aria-label="Search"></p></main></body>
</html>`;
      const allowed = `default-src 'none'; script-src ${gateway}; connect-src ${gateway}; img-src 'self' data:; style-src data:; require-trusted-types-for 'script'`;
      return new Response(text, {
        headers: { "content-type": "text/html; charset=utf-8", "content-security-policy": policy ?? allowed },
      });
    },
  });
  return { origin: `http://127.0.0.1:${server.port}`, [Symbol.dispose]: () => void server.stop(true) };
}
