interface ClientTool {
  name: string;
  description?: string | undefined;
  parameters?: unknown;
}

/** The Python module that declares the tools; the definition names them as `<module>.<tool>`. */
export const clientToolsModule = "client_tools";

/**
 * Files that declare tools which the caller executes. The code is always the same; names, descriptions and schemas stand in a file of
 * data, so that no text of a manifest becomes code.
 */
export function clientToolFiles(tools: readonly [identifier: string, ClientTool][]): Record<string, string> {
  const declarations = Object.fromEntries(
    tools.map(([key, { name, description, parameters }]) => [
      key,
      { name, description: description ?? name, parameters: parameters ?? { type: "object" } },
    ]),
  );
  return {
    "client_tools.json": `${JSON.stringify(declarations, null, 2)}\n`,
    [`${clientToolsModule}.py`]: clientToolsPython,
  };
}

const clientToolsPython = `"""Declares the tools in client_tools.json. The caller of the agent executes them and sends their results."""

import json
import pathlib

from google.adk.tools.base_tool import BaseTool
from google.genai import types


class ClientTool(BaseTool):
    def __init__(self, name, description, parameters):
        super().__init__(name=name, description=description, is_long_running=True)
        self._parameters = parameters

    def _get_declaration(self):
        return types.FunctionDeclaration(
            name=self.name,
            description=self.description,
            parameters_json_schema=self._parameters,
        )

    async def run_async(self, *, args, tool_context):
        return None


_declared = json.loads(pathlib.Path(__file__).with_name("client_tools.json").read_text(encoding="utf-8"))
globals().update({key: ClientTool(**tool) for key, tool in _declared.items()})
`;
