import { Button, Menu } from "@mantine/core";
import { useState } from "react";
import { useLocation } from "wouter";
import { Icon } from "../parts/icon.tsx";
import { orgTexts as texts } from "../texts/cloud/cloud.ts";
import { sameForOrg } from "./cloud-paths.ts";
import { NewOrgDialog } from "./new-org-dialog.tsx";
import { useOrgSlug } from "./org-slug.ts";
import { useOrgs } from "./use-cloud.ts";

/** Shows the current org, and switches to the same page of another. */
export default function OrgSwitcherView() {
  const [location, go] = useLocation();
  const slug = useOrgSlug();
  const { data } = useOrgs();
  const [isCreating, setCreating] = useState(false);
  if (data === undefined || data.orgs.length === 0) return null;
  const { orgs } = data;
  const name = orgs.find((org) => org.slug === slug)?.display_name ?? texts.choose;
  return (
    <>
      <Menu position="bottom-start" width={204}>
        <Menu.Target>
          <Button
            className="ar-tn-tenant-switcher"
            variant="default"
            size="xs"
            fullWidth
            classNames={{ label: "ar-tn-switcher-label" }}
            leftSection={<Icon name="users" />}
            rightSection={<Icon name="down" />}
            aria-label={texts.switcher(name)}
          >
            <span className="ar-clip">{name}</span>
          </Button>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>{texts.switchTo}</Menu.Label>
          {orgs.map((org) => (
            <Menu.Item
              key={org.slug}
              rightSection={org.slug === slug ? <Icon name="check" /> : null}
              onClick={() => go(sameForOrg(location, org.slug))}
            >
              <span className="ar-break">{org.display_name}</span>
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item leftSection={<Icon name="plus" />} onClick={() => setCreating(true)}>
            {texts.create}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {isCreating && <NewOrgDialog close={() => setCreating(false)} />}
    </>
  );
}
