import { Menu, UnstyledButton } from "@mantine/core";
import { Link } from "wouter";
import { Icon } from "../parts/icon.tsx";
import { shellTexts } from "../texts/shell.ts";
import { useNav, useOpenAreas } from "./use-nav.ts";

/** The current area with the menu of all areas, which opens as soon as it is loaded. */
export default function AreaMenuView() {
  const areas = useOpenAreas();
  const { area } = useNav();
  return (
    <Menu position="bottom-start" width="target" defaultOpened>
      <Menu.Target>
        <UnstyledButton className="ar-area-switcher" aria-label={shellTexts.areas(area?.title ?? "")}>
          <Icon name={area?.icon ?? "list"} />
          <span className="ar-clip">{area?.title}</span>
          <Icon name="down" />
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{shellTexts.switchArea}</Menu.Label>
        {areas.map(({ path, title, icon }) => (
          <Menu.Item
            key={path}
            component={Link}
            href={path}
            leftSection={<Icon name={icon} />}
            rightSection={path === area?.path ? <Icon name="check" /> : null}
          >
            {title}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
