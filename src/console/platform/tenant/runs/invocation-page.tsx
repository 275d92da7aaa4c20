import { Button } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "wouter";
import type { Feedback, FeedbackGiven } from "../../../../contracts/daemon/runs/feedback.ts";
import { PageHeader } from "../../../parts/layout/page-header.tsx";
import { Loaded } from "../../../parts/states/loaded.tsx";
import { invocationTexts as texts } from "../../../texts/platform/tenant-runs.ts";
import { InvocationBadge } from "../../invocation-badge.tsx";
import { traceless } from "../../traceless.ts";
import { usePlatform } from "../../use-platform.ts";
import { Permitted } from "../rights.tsx";
import { type TenantPageProps, tenantPage } from "../tenant-page.tsx";
import { tenantPaths } from "../tenant-paths.ts";
import { InvocationDetailView } from "./invocation-detail-view.tsx";
import { InvocationTrace } from "./invocation-trace.tsx";

/** What was given, without its time. */
const givenOf = ({ at: _, ...given }: Feedback): FeedbackGiven => given;

const underWayMs = 2_000;

export default tenantPage(InvocationPage);

function InvocationPage({ tenant }: TenantPageProps) {
  const { name = "", id = "" } = useParams<{ name: string; id: string }>();
  const platform = usePlatform(tenant.id);
  const query = useQuery({
    queryKey: ["platform", tenant.id, "invocation", name, id],
    queryFn: () => platform.getInvocation(name, id),
    // Polls only while the run is in progress and the page is visible.
    refetchInterval: ({ state }) => (state.data?.status === "in_progress" ? underWayMs : false),
  });
  const paths = tenantPaths(tenant.id);
  const { data } = query;
  return (
    <>
      <PageHeader
        title={texts.title(name)}
        up={{ href: `${paths.agent(name)}?tab=runs`, label: texts.up(name) }}
        mark={data !== undefined && <InvocationBadge status={data.status} />}
      >
        {data !== undefined && (
          <Permitted right="runs">
            <Button component={Link} href={paths.run(name, data.session_id)} variant="default">
              {texts.continueSession}
            </Button>
          </Permitted>
        )}
      </PageHeader>
      <Loaded query={query}>
        {(invocation) => (
          <div className="ar-stack">
            <InvocationDetailView tenantId={tenant.id} invocation={invocation} />
            {!traceless.has(invocation.status) && (
              <InvocationTrace
                tenantId={tenant.id}
                agent={name}
                id={id}
                known={invocation.feedback && givenOf(invocation.feedback)}
              />
            )}
          </div>
        )}
      </Loaded>
    </>
  );
}
