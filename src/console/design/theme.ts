import {
  createTheme,
  defaultVariantColorsResolver,
  type MantineColorsTuple,
  type VariantColorsResolver,
} from "@mantine/core";

/** Sea colours for the light scheme: links, buttons, selections. */
const sea: MantineColorsTuple = [
  "#e9f6f6",
  "#d3ebeb",
  "#a8d7d7",
  "#79c2c3",
  "#52b0b2",
  "#38a4a7",
  "#1f8f93",
  "#0f777b",
  "#075f63",
  "#00484b",
];

/** Brass: money, marks, items that wait for a person. */
const brass: MantineColorsTuple = [
  "#fdf5e6",
  "#f6e8cd",
  "#ebcf9b",
  "#e0b565",
  "#d79f38",
  "#c98d20",
  "#b07812",
  "#8f6109",
  "#714c04",
  "#553800",
];

/** Greys with a little blue in them, from paper to ink. */
const slate: MantineColorsTuple = [
  "#f5f7f8",
  "#eaeef0",
  "#d8dee2",
  "#bcc6cc",
  "#94a2ab",
  "#6b7b86",
  "#51616c",
  "#3b4953",
  "#26323a",
  "#141c22",
];

/** The dark scheme's surfaces, lightest text first. */
const dark: MantineColorsTuple = [
  "#dfe6ea",
  "#b9c4cb",
  "#9aa7b0",
  "#6f7e89",
  "#3a4751",
  "#2b363e",
  "#1d262d",
  "#151c22",
  "#10161b",
  "#0b1014",
];

/**
 * Mantine chooses the text colour on a filled ground for the light scheme only; ours is light in the light scheme and dark in the dark one.
 */
const variantColorResolver: VariantColorsResolver = (input) => {
  const colors = defaultVariantColorsResolver(input);
  return input.variant === "filled" ? { ...colors, color: "var(--ar-on-filled)" } : colors;
};

/** Compact theme: 14 px text, small radii, a visible focus everywhere. */
export const theme = createTheme({
  colors: { sea, brass, gray: slate, dark },
  primaryColor: "sea",
  primaryShade: { light: 8, dark: 4 },
  variantColorResolver,
  white: "#ffffff",
  black: "#141c22",
  defaultRadius: 6,
  respectReducedMotion: true,
  cursorType: "pointer",
  fontFamily: 'ui-sans-serif, system-ui, "Segoe UI", Roboto, "Helvetica Neue", "Noto Sans", sans-serif',
  fontFamilyMonospace:
    'ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", monospace',
  fontSizes: { xs: "0.75rem", sm: "0.8125rem", md: "0.875rem", lg: "1rem", xl: "1.125rem" },
  lineHeights: { xs: "1.35", sm: "1.4", md: "1.5", lg: "1.5", xl: "1.4" },
  headings: {
    fontWeight: "620",
    sizes: {
      h1: { fontSize: "1.375rem", lineHeight: "1.25" },
      h2: { fontSize: "1.0625rem", lineHeight: "1.35" },
      h3: { fontSize: "0.9375rem", lineHeight: "1.4" },
      h4: { fontSize: "0.875rem", lineHeight: "1.4" },
    },
  },
  components: {
    Button: { defaultProps: { size: "sm" } },
    TextInput: { defaultProps: { size: "sm" } },
    Select: { defaultProps: { size: "sm", checkIconPosition: "right" } },
    Textarea: { defaultProps: { size: "sm" } },
    Badge: {
      defaultProps: { variant: "light", radius: 4 },
      styles: { root: { textTransform: "none", fontWeight: 560 } },
    },
    Tooltip: {
      defaultProps: { openDelay: 350, withArrow: true, events: { hover: true, focus: true, touch: true } },
    },
    Modal: {
      defaultProps: {
        centered: true,
        overlayProps: { backgroundOpacity: 0.45 },
        // Otherwise it is a second banner landmark of the page.
        attributes: { header: { role: "presentation" } },
      },
    },
    Drawer: { defaultProps: { attributes: { header: { role: "presentation" } } } },
    Table: { defaultProps: { verticalSpacing: 6, horizontalSpacing: "sm" } },
    Anchor: { defaultProps: { underline: "hover" } },
    // The placeholder would be a child of the menu that is no item.
    Menu: { defaultProps: { shadow: "md", withInitialFocusPlaceholder: false } },
    Loader: { defaultProps: { size: "sm", type: "dots" } },
  },
});
