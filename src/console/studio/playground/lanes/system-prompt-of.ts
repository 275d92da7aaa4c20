/** Returns `spec.prompts.system` of a manifest, "" if it has none. The YAML parser is loaded on first use. */
export async function systemPromptOf(manifest: string): Promise<string> {
  const { parseDocument } = await import("yaml");
  const prompt = parseDocument(manifest, { version: "1.2", schema: "core" }).getIn([
    "spec",
    "prompts",
    "system",
  ]);
  return typeof prompt === "string" ? prompt : "";
}
