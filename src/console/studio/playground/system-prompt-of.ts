/** `spec.prompts.system` of a manifest; "" when it has none. The reader of YAML is loaded when it is first needed. */
export async function systemPromptOf(manifest: string): Promise<string> {
  const { parseDocument } = await import("yaml");
  const prompt = parseDocument(manifest, { version: "1.2", schema: "core" }).getIn([
    "spec",
    "prompts",
    "system",
  ]);
  return typeof prompt === "string" ? prompt : "";
}
