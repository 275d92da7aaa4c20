/**
 * Sets the colours before the first paint; the page's own script would run too late and flash. It is the only inline script of the page,
 * allowed by its hash.
 */
export const prePaintScript = `(()=>{let s="auto";try{s=localStorage.getItem("argosy-color-scheme")||s}catch{}if(s!=="light"&&s!=="dark")s=matchMedia("(prefers-color-scheme: dark)").matches?"dark":"light";document.documentElement.setAttribute("data-mantine-color-scheme",s)})()`;

/** Source expression for a content security policy. */
export const prePaintSource = `'sha256-${new Bun.CryptoHasher("sha256").update(prePaintScript).digest("base64")}'`;
