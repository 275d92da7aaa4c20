/**
 * The value as a header can have it: plain ASCII as it is, anything else as UTF-8 in Base64 (MCP 2026-07-28, "Value Encoding"). So is a
 * value that looks like such a text.
 */
export function headerValue(value: string): string {
  const isPlain = /^([!-~]([\t -~]*[!-~])?)?$/.test(value) && !/^=\?base64\?.*\?=$/.test(value);
  return isPlain ? value : `=?base64?${Buffer.from(value).toString("base64")}?=`;
}
