import { Button } from "@mantine/core";
import { type ComponentType, useEffect } from "react";
import { Link } from "wouter";
import type { OwnOrg } from "../../contracts/cloud/orgs.ts";
import { PageHeader } from "../parts/layout/page-header.tsx";
import { EmptyState } from "../parts/states/empty-state.tsx";
import { Loaded } from "../parts/states/loaded.tsx";
import { orgTexts as texts } from "../texts/cloud/cloud.ts";
import { cloudPath } from "./cloud-paths.ts";
import { forgetOrgSlug, useOrgSlug } from "./org-slug.ts";
import { useOrgs } from "./use-cloud.ts";

export interface OrgPageProps {
  org: OwnOrg;
}

/** Wraps a page about the org in its address. People who are not its members see a link back. */
export function orgPage(View: ComponentType<OrgPageProps>) {
  return function OrgPage() {
    const slug = useOrgSlug();
    const query = useOrgs();
    return (
      <Loaded query={query}>
        {({ orgs }) => {
          const org = orgs.find((one) => one.slug === slug);
          return org === undefined ? <MissingOrg /> : <View key={org.slug} org={org} />;
        }}
      </Loaded>
    );
  };
}

/** Returns true if the caller may change keys, providers, members and the name of the org. */
export const mayManage = ({ role }: Pick<OwnOrg, "role">): boolean => role === "owner" || role === "admin";

function MissingOrg() {
  useEffect(forgetOrgSlug, []);
  return (
    <>
      <PageHeader title={texts.missingTitle} />
      <EmptyState text={texts.missing}>
        <Button component={Link} href={cloudPath}>
          {texts.toOwn}
        </Button>
      </EmptyState>
    </>
  );
}
