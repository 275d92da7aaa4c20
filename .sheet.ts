import { chromium } from "playwright-core";
import { readFileSync } from "node:fs";
const [, , out, dir, width, ...names] = process.argv;
const b = await chromium.launch({ executablePath: ["/usr/bin/chromium-headless-shell","/usr/bin/chromium"].find((p)=>require("fs").existsSync(p)), args: ["--no-sandbox"] });
const page = await b.newPage({ viewport: { width: 1560, height: 900 } });
const img = names.map((n) => `<figure style="margin:0"><figcaption style="font:11px sans-serif">${n}</figcaption><img style="width:${width}px;max-height:1000px;object-fit:cover;object-position:top;border:1px solid #999" src="data:image/png;base64,${readFileSync(`${dir}/${n}.png`).toString("base64")}"></figure>`).join("");
await page.setContent(`<body style="margin:4px;display:flex;flex-wrap:wrap;gap:6px">${img}</body>`);
await page.screenshot({ path: out!, fullPage: true });
await b.close();
