/** Texts of the frame around every page. */
export const shellTexts = {
  product: "Argosy",
  skip: "Skip to content",
  navigation: "Navigation",
  openNavigation: "Open navigation",
  closeNavigation: "Close navigation",
  areas: (current: string) => `Area: ${current}`,
  switchArea: "Switch area",
  search: "Search or jump to…",
  commands: "Commands",
  searchLabel: "Search and commands",
  nothingFound: "No results. Try the name of a page, an agent or a tenant, or the id of a trace.",
  commandsGo: "Go to",
  colorScheme: "Theme",
  light: "Light",
  dark: "Dark",
  system: "System",
  language: "Language",
  account: "Account",
  signedInAs: (who: string) => `Signed in as ${who}`,
  localOperator: "owner of this machine",
  visitor: "guest",
  cloudMember: "cloud account",
  tokenHolder: "operator (token)",
  signOut: "Sign out",
  stillSignedIn: "You are still signed in, because the server did not answer. Try again.",
  apiDocs: "API reference",
  offline: "The server does not answer. This page may be out of date. It reconnects automatically.",
  starting: "Loading…",
  unreachableTitle: "The server does not answer",
  unreachableHint: "Start it with “argosy serve”, then try again.",
  retry: "Try again",
  providerSays: (message: string) => `The provider says: ${message}`,
  notFoundTitle: "Page not found",
  notFoundHint: "The address may be wrong, or the item was deleted.",
  toHome: "Go to home page",
  failedTitle: "This page has crashed",
  failedHint: "Reload the page. If it crashes again, report the error below.",
  reload: "Reload",
  loading: "Loading…",
  failedToLoad: "Could not load this",
  partMissing: "Part of this page could not be loaded",
  partOutdated: "Part of this page could not be refreshed and may be out of date",
  signInNeeded: "Sign in to see this page",
  partlySignedOut: "A sign-in of this session has ended. Some pages need it again.",
  version: (version: string) => `Argosy ${version}`,
};

/** What a page says of a call that got no answer. */
export const callTexts = {
  noAnswer: "The server did not answer. Try again.",
  failed: "The request failed.",
  notOpened: "The connection could not be opened.",
  cutOff: "The connection was closed before the run ended.",
};

/** Texts of commands in the palette. */
export const commandTexts = {
  /** Other words that find what creates something. */
  createWords: "create add",
  newAgent: "New agent",
  newPipeline: "New pipeline",
  newTenant: "New tenant",
  newTenantAgent: "New agent of this tenant",
  newCloudAgent: "New cloud agent",
  openTrace: "Open trace",
  traceOf: (agent: string) => `Run of ${agent}`,
  tenant: "Tenant",
  operatedTenant: "Tenant, as operator",
  console: "Console",
  theme: (name: string) => `Theme: ${name}`,
  themeWords: "switch theme color colour dark light",
  keys: "Keyboard shortcuts",
};

/** Texts of the dialog that lists the keys. */
export const keyTexts = {
  title: "Keyboard shortcuts",
  or: "or",
  rows: [
    { keys: ["Ctrl K", "/"], action: "Search, or go to a page" },
    { keys: ["?"], action: "Show these shortcuts" },
    { keys: ["Ctrl S"], action: "Save, in editors" },
    { keys: ["Ctrl Space"], action: "Complete, in the YAML editor" },
    { keys: ["Ctrl Enter"], action: "Send the question or message" },
    { keys: ["Esc"], action: "Close a dialog, or stop a run" },
    { keys: ["Esc, then Tab"], action: "Leave the YAML editor" },
  ],
};

/** Texts of the sign-in page. */
export const signInTexts = {
  title: "Sign in",
  ended: "Your session has ended. Sign in to go on where you were.",
  linkTitle: "With a sign-in link",
  linkHint:
    "Run this command on the machine where Argosy runs, then open the link it prints. The link works once.",
  linkCommand: "argosy console",
  personTitle: "With an account",
  registerTitle: "Create an account",
  email: "E-mail",
  password: "Password",
  passwordHint: "8 characters or more.",
  name: "Your name",
  signIn: "Sign in",
  register: "Create account",
  toRegister: "Create an account instead",
  toSignIn: "Sign in with an existing account",
  tokenTitle: "With a token",
  tokenHint: (tokens: readonly string[]) => `The ${tokens.join(" or the ")}.`,
  token: "Token",
  useToken: "Sign in with token",
  openTitle: "Without an account",
  openHint: (area: string) => `This server allows the ${area} without an account.`,
  openArea: (area: string) => `Open ${area}`,
  failed: "Sign-in failed",
};

/** Texts of the page that an operator's link opens. */
export const passwordLinkTexts = {
  title: "Choose a password",
  lead: "An operator sent you this link. It works once; your new password signs you in.",
  password: "New password",
  hint: "8 characters or more.",
  action: "Set password and sign in",
  leave: "Sign in with a password that you know",
};

/** Texts of the cloud's sign-in. */
export const cloudSignInTexts = {
  title: "To the cloud",
  none: "No sign-in to the cloud is configured here. Its operator sets CLOUD_DEV_LOGIN, or the settings of Google or GitHub.",
  with: { google: "Continue with Google", github: "Continue with GitHub" },
  devHint: "Development login: any e-mail address, without a password. A new address gets an org of its own.",
  email: "E-mail for the cloud",
  name: "Name (optional)",
  signIn: "Sign in to the cloud",
  badAddress: "The server named a sign-in page that is no web address.",
};
