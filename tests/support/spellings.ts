/** Returns the encodings of a whole text: as it is, and as JSON, URLs, markup, base64 and hexadecimal digits. */
export function encodings(text: string): string[] {
  const base64 = [0, 1, 2].map((offset) => Buffer.from(" ".repeat(offset) + text).toString("base64"));
  return [...plainSpellings(text), ...base64, ...base64.map(urlAlphabet)];
}

/** Returns the encodings of a text inside a longer text. */
function spellings(text: string): string[] {
  const base64 = [0, 1, 2].map((offset) => {
    const encoded = Buffer.from(" ".repeat(offset) + text).toString("base64");
    // The characters at both ends depend on the neighbours and are left out.
    return encoded.slice(offset === 0 ? 0 : 4, -4);
  });
  return [...plainSpellings(text), ...base64, ...base64.map(urlAlphabet)];
}

const urlAlphabet = (base64: string) => base64.replaceAll("+", "-").replaceAll("/", "_");

function plainSpellings(text: string): string[] {
  const json = JSON.stringify(text).slice(1, -1);
  const url = encodeURIComponent(text);
  const markup = text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const written = [
    text,
    json,
    JSON.stringify(json).slice(1, -1),
    url,
    url.replace(/%[0-9A-F]{2}/g, (hex) => hex.toLowerCase()),
    encodeURI(text),
    encodeURIComponent(url),
    new URLSearchParams({ a: text }).toString().slice(2),
    markup,
    markup.replaceAll('"', "&quot;"),
    Buffer.from(text).toString("hex"),
    Buffer.from(text).toString("hex").toUpperCase(),
  ];
  return [...new Set(written)];
}

/** Returns true if bytes or a text contain `text` in any encoding. */
export function holds(bytes: Uint8Array | string, text: string): boolean {
  const searched = Buffer.from(bytes).toString("latin1");
  return spellings(text).some((spelling) => searched.includes(Buffer.from(spelling).toString("latin1")));
}
