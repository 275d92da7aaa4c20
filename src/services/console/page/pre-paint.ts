/**
 * Sets the colours before the first pixel: the page's own script comes too late for that, and would flash. It is the one
 * script that stands in the page, allowed by its hash.
 */
export const prePaintScript = `(()=>{let s="auto";try{s=localStorage.getItem("argosy-color-scheme")||s}catch{}if(s!=="light"&&s!=="dark")s=matchMedia("(prefers-color-scheme: dark)").matches?"dark":"light";document.documentElement.setAttribute("data-mantine-color-scheme",s)})()`;

/** As a policy names it. */
export const prePaintSource = `'sha256-${new Bun.CryptoHasher("sha256").update(prePaintScript).digest("base64")}'`;
