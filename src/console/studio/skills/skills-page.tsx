import { Anchor, Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link } from "wouter";
import type { SkillSummary } from "../../../contracts/daemon/skills.ts";
import { PageHeader } from "../../parts/layout/page-header.tsx";
import { EmptyState } from "../../parts/states/empty-state.tsx";
import { Loaded } from "../../parts/states/loaded.tsx";
import { type Column, DataTable } from "../../parts/tables/data-table.tsx";
import { skillTexts as texts } from "../../texts/studio/skills.ts";
import { useDaemon } from "../use-daemon.ts";

const columns: readonly Column<SkillSummary>[] = [
  { id: "name", header: texts.name, width: "minmax(110px, 1fr)", cell: ({ name }) => name },
  {
    id: "description",
    header: texts.description,
    width: "minmax(120px, 3fr)",
    cell: (skill) => <Description skill={skill} />,
  },
  {
    id: "files",
    header: texts.files,
    width: "minmax(110px, 1fr)",
    from: "md",
    cell: ({ references, scripts, problems }) =>
      problems === undefined ? texts.filesOf(references.length, scripts.length) : "",
  },
  {
    id: "agents",
    header: texts.agents,
    width: "minmax(90px, 1fr)",
    from: "sm",
    cell: ({ agents }) =>
      agents.length === 0 ? (
        <span className="ar-soft">{texts.noAgents}</span>
      ) : (
        agents.map((agent) => (
          <span key={agent}>
            <Anchor component={Link} href={`/studio/agents/${encodeURIComponent(agent)}`}>
              {agent}
            </Anchor>{" "}
          </span>
        ))
      ),
  },
];

/** Skills in the workspace's folder, with what is wrong with those that can't be used. */
export default function SkillsPage() {
  const daemon = useDaemon();
  const query = useQuery({ queryKey: ["daemon", "skills"], queryFn: daemon.listSkills });
  return (
    <>
      <PageHeader title={texts.title} lead={texts.lead}>
        <Button variant="default" loading={query.isRefetching} onClick={() => void query.refetch()}>
          {texts.refresh}
        </Button>
      </PageHeader>
      <Loaded query={query}>
        {({ skills }) => (
          <DataTable
            label={texts.title}
            columns={columns}
            rows={skills}
            keyOf={({ name }) => name}
            empty={<EmptyState text={texts.none} />}
          />
        )}
      </Loaded>
    </>
  );
}

function Description({ skill: { description, file, problems } }: { skill: SkillSummary }) {
  if (problems === undefined) return <span className="ar-break">{description}</span>;
  return (
    <span className="ar-break">
      <strong>{texts.cantBeUsed(file)}</strong>
      {problems.map(({ path, message, line }) => (
        <div key={`${path} ${message}`}>
          {line === undefined ? "" : `${line}: `}
          {path} {message}
        </div>
      ))}
    </span>
  );
}
