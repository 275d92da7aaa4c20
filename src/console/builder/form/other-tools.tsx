import { Button, Group } from "@mantine/core";
import { firstFreeName } from "../../../contracts/free-name.ts";
import { pathOf } from "../../../manifest/fault.ts";
import { valueAt } from "../../../manifest/value-at.ts";
import { Icon } from "../../parts/icon.tsx";
import { isRecord } from "../../parts/is-record.ts";
import { starterTexts, builderTexts as texts } from "../../texts/builder.ts";
import { useHost } from "../host.ts";
import { useFormContent } from "./form-context.ts";
import { SchemaField } from "./schema-field.tsx";
import { SchemaText } from "./schema-text.tsx";

export type OtherType = "webhook" | "client" | "mcp" | "agent";

interface OtherKind {
  name: string;
  fields: readonly string[];
  /** The model fills in parameters that the manifest declares. */
  hasParameters?: true;
  /** The keys of a new one. */
  begun: object;
}

/** One parameter, to show the form of the others. */
const parameters = {
  type: "object",
  properties: { query: { type: "string", description: starterTexts.parameter } },
  required: ["query"],
};

const kinds: Readonly<Record<OtherType, OtherKind>> = {
  webhook: {
    name: "call_service",
    hasParameters: true,
    fields: ["name", "description", "config.url", "config.method", "config.connection"],
    begun: {
      description: starterTexts.service,
      parameters,
      config: { url: "https://example.com/", method: "POST" },
    },
  },
  client: {
    name: "ask_caller",
    fields: ["name", "description", "timeout_seconds"],
    hasParameters: true,
    begun: { description: starterTexts.caller, parameters },
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

/** The fields of a webhook, a client tool, an MCP server or an agent among the tools; nothing for other tools. */
export function OtherToolFields({ at, type }: { at: number; type: unknown }) {
  const { value } = useFormContent();
  if (!isOther(type)) return null;
  const path = `spec.tools[${at}].parameters`;
  const declared = valueAt(value, pathOf(path));
  return (
    <div className="ar-edit-fields">
      {kinds[type].fields.map((field) => (
        <SchemaField key={field} path={`spec.tools[${at}].${field}`} />
      ))}
      {kinds[type].hasParameters && (
        <SchemaText
          path={path}
          label={texts.parameters}
          description={texts.parametersHint}
          schema={isRecord(declared) ? declared : {}}
        />
      )}
    </div>
  );
}

/** Buttons that add a webhook, a client tool, an MCP server or an agent to the tools. */
export function AddOtherTool({ taken }: { taken: ReadonlySet<unknown> }) {
  const { otherTools } = useHost();
  const { append } = useFormContent();
  return (
    <Group gap="xs">
      {otherTools.map((type) => (
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
  const spell = (number: number) => (number === 1 ? name : `${name}_${number}`);
  return firstFreeName(spell, (other) => taken.has(other), taken.size);
}
