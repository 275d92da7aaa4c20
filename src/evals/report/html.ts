import type { EvalRun } from "../../contracts/evals/eval-run.ts";
import style from "./page.css" with { type: "text" };
import script from "./page.js.eta" with { type: "text" };

/**
 * Report of runs as one page that loads nothing. Rows are drawn only while they are visible, so ten thousand results open at once. Texts of
 * results reach the page as data, never as markup.
 */
export function htmlReport(runs: readonly EvalRun[]): string {
  const names = runs.map(({ run }) => run.eval).join(", ");
  const policy = `default-src 'none'; style-src 'unsafe-inline'; script-src '${hashOf(script)}'`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<title>${escaped(names)} · Argosy eval</title>
<style>${style}</style>
</head>
<body>
<header id="summary"></header>
<main>
<div class="bar"><input id="find" type="search" placeholder="Search cases and answers" aria-label="Search cases and answers"><select id="state" aria-label="Results"><option value="all">All results</option><option value="failed">Failed</option><option value="passed">Passed</option></select><span id="count" class="dim" aria-live="polite"></span></div>
<div class="split"><div id="list" role="listbox" tabindex="0" aria-label="Results, failed first"><div id="space"></div></div><article id="detail"></article></div>
</main>
<script id="data" type="application/json">${dataText(runs)}</script>
<script>${script}</script>
</body>
</html>
`;
}

/** JSON without `<`, which could end the element that holds it. */
function dataText(runs: readonly EvalRun[]): string {
  return JSON.stringify(runs).replaceAll("<", "\\u003c");
}

const entities: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };

const escaped = (text: string) => text.replaceAll(/[&<>"]/g, (character) => entities[character] ?? character);

const hashOf = (text: string) => `sha256-${new Bun.CryptoHasher("sha256").update(text).digest("base64")}`;
