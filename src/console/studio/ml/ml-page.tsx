import { Anchor, Code } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import type { MlModel, MlSlot } from "../../../contracts/daemon/models/ml.ts";
import { Facts } from "../../parts/layout/facts.tsx";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { Panel } from "../../parts/layout/panel.tsx";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { Instant } from "../../parts/text/instant.tsx";
import { StatusBadge, type Tone } from "../../parts/text/status-badge.tsx";
import { mlTexts as texts } from "../../texts/studio/ml.ts";
import { agentPaths } from "../agents/agent-paths.ts";
import { knowledgeKeys, knowledgePaths } from "../knowledge/knowledge-paths.ts";
import { useDaemon } from "../use-daemon.ts";
import { PredictForm } from "./predict-form.tsx";
import { usesOfModel } from "./uses-of-model.ts";

const tones: Readonly<Record<MlModel["status"], Tone>> = {
  registered: "plain",
  loading: "warn",
  ready: "good",
  error: "bad",
};

/** The registered ML models, each with its inputs and a form to try it. */
export default function MlPage() {
  const daemon = useDaemon();
  const query = useQuery({ queryKey: ["daemon", "ml"], queryFn: daemon.listMlModels });
  return (
    <>
      <PageHeader title={texts.title} lead={texts.lead} />
      <Loaded query={query}>
        {({ models }) => (
          <div className="ar-stack">
            {models.length === 0 && (
              <EmptyState title={texts.none} text={texts.noneHint}>
                <Code block className="ar-break" maw="100%">
                  {texts.command(location.origin)}
                </Code>
              </EmptyState>
            )}
            {models.map((model) => (
              <ModelView key={`${model.name} ${model.version}`} model={model} />
            ))}
          </div>
        )}
      </Loaded>
    </>
  );
}

function ModelView({ model }: { model: MlModel }) {
  const { name, version, format, path, task, status, error, inputs, outputs, created_at: created } = model;
  return (
    <Panel
      title={`${name} ${version}`}
      actions={<StatusBadge tone={tones[status]}>{texts.status[status]}</StatusBadge>}
    >
      <div className="ar-stack">
        {error !== undefined && <p className="ar-flat ar-break">{error}</p>}
        <Facts
          facts={[
            { label: texts.format, value: format },
            { label: texts.task, value: task ?? "–" },
            { label: texts.file, value: path },
            { label: texts.inputs, value: inputs.map(slotText).join(", ") },
            { label: texts.outputs, value: outputs.map(slotText).join(", ") },
            { label: texts.usedBy, value: <ModelUses model={model} /> },
            { label: texts.registered, value: <Instant iso={created} /> },
          ]}
        />
        <PredictForm model={model} />
      </div>
    </Panel>
  );
}

/** Links to the agents and collections that use the model. The page works without them. */
function ModelUses({ model }: { model: MlModel }) {
  const daemon = useDaemon();
  const providers = useQuery({ queryKey: ["daemon", "providers"], queryFn: daemon.listProviders });
  const collections = useQuery({ queryKey: knowledgeKeys.collections, queryFn: daemon.listCollections });
  if (providers.data === undefined || collections.data === undefined) return "–";
  const uses = usesOfModel(model, providers.data.providers, collections.data.collections);
  const links = [
    ...uses.agents.map((name) => ({ name, href: agentPaths.of(name) })),
    ...uses.collections.map((name) => ({ name, href: knowledgePaths.collection(name) })),
  ];
  if (links.length === 0) return texts.unused;
  return links.map(({ name, href }, at) => (
    <span key={href}>
      {at > 0 && ", "}
      <Anchor component={Link} href={href}>
        {name}
      </Anchor>
    </span>
  ));
}

/** A slot as `name: float32[1, ?]`. */
export const slotText = ({ name, type, shape }: MlSlot): string =>
  `${name}: ${type}[${shape.map((length) => (length === -1 ? "?" : String(length))).join(", ")}]`;
