import { UnstyledButton } from "@mantine/core";
import { Icon } from "../parts/icon.tsx";
import { shellTexts } from "../texts/shell.ts";
import { useNav, useOpenAreas } from "./use-nav.ts";
import { useView } from "./use-view.ts";

/** The current area, and a menu of all areas if there are several. The menu's code is loaded when it is first opened. */
export function AreaSwitcher() {
  const areas = useOpenAreas();
  const { area } = useNav();
  const [View, load] = useView(() => import("./area-menu-view.tsx"));
  if (areas.length < 2 || area === undefined) return null;
  if (View !== undefined) return <View />;
  return (
    <UnstyledButton
      className="ar-area-switcher"
      aria-haspopup="menu"
      aria-label={shellTexts.areas(area.title)}
      onClick={load}
    >
      <Icon name={area.icon} />
      <span className="ar-clip">{area.title}</span>
      <Icon name="down" />
    </UnstyledButton>
  );
}
