/** A content type: its essence in lower case, and its charset. */
export interface MediaType {
  essence: string;
  charset: string | undefined;
}

const headerCharsMax = 1024;

/** Parses a `Content-Type`. Returns undefined if there is none or it names no type. */
export function readMediaType(header: string | null): MediaType | undefined {
  const [essence = "", ...parameters] = (header ?? "")
    .slice(0, headerCharsMax)
    .split(";")
    .map((part) => part.trim());
  if (!/^[\w.+-]{1,100}\/[\w.+-]{1,100}$/.test(essence)) return undefined;
  for (const parameter of parameters) {
    const equals = parameter.indexOf("=");
    if (parameter.slice(0, equals).trim().toLowerCase() !== "charset") continue;
    const charset = parameter
      .slice(equals + 1)
      .replaceAll('"', "")
      .replaceAll("'", "")
      .trim();
    if (charset !== "") return { essence: essence.toLowerCase(), charset };
  }
  return { essence: essence.toLowerCase(), charset: undefined };
}
