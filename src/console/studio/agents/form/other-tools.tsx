import { Button, Group } from "@mantine/core";
import { Icon } from "../../../parts/icon.tsx";
import { agentEditorTexts as texts } from "../../../texts/studio/agents.ts";
import { useFormContent } from "./form-context.ts";
import { SchemaField } from "./schema-field.tsx";

type OtherType = "webhook" | "mcp" | "agent";

/** Fields of each type of tool, and the configuration that a new one begins with. */
const kinds: Readonly<Record<OtherType, { name: string; fields: readonly string[]; begun: object }>> = {
  webhook: {
    name: "call_service",
    fields: ["name", "description", "config.url", "config.method", "config.connection"],
    begun: {
      description: "What the service does, for the model.",
      parameters: { type: "object", properties: {} },
      config: { url: "https://example.com/", method: "POST" },
    },
  },
  mcp: {
    name: "server",
    fields: ["name", "config.transport", "config.command", "config.args", "config.url", "config.tools"],
    begun: { config: { transport: "stdio", command: "npx" } },
  },
  agent: {
    name: "ask_agent",
    fields: ["name", "description", "config.agent", "config.context_transform"],
    begun: { config: { agent: "helper" } },
  },
};

const isOther = (type: unknown): type is OtherType => typeof type === "string" && Object.hasOwn(kinds, type);

/** The fields of a webhook, an MCP server or an agent among the tools; nothing for other tools. */
export function OtherToolFields({ at, type }: { at: number; type: unknown }) {
  if (!isOther(type)) return null;
  return (
    <div className="ar-edit-fields">
      {kinds[type].fields.map((field) => (
        <SchemaField key={field} path={`spec.tools[${at}].${field}`} />
      ))}
    </div>
  );
}

/** Buttons that add a webhook, an MCP server or an agent to the tools. */
export function AddOtherTool({ taken }: { taken: ReadonlySet<unknown> }) {
  const { append } = useFormContent();
  return (
    <Group gap="xs">
      {(["webhook", "mcp", "agent"] as const).map((type) => (
        <Button
          key={type}
          size="xs"
          variant="default"
          leftSection={<Icon name="plus" />}
          onClick={() => {
            const { name, begun } = kinds[type];
            append(["spec", "tools"], { name: freeToolName(name, taken), type, ...begun });
          }}
        >
          {texts.addOther[type]}
        </Button>
      ))}
    </Group>
  );
}

/** Returns the name, with a number if it is taken. */
function freeToolName(name: string, taken: ReadonlySet<unknown>): string {
  for (let number = 2, free = name; ; free = `${name}_${number++}`) if (!taken.has(free)) return free;
}
