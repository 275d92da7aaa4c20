/** Texts of the app's own menus, dialogs and notifications. */
export const texts = {
  name: "Argosy",
  file: "File",
  view: "View",
  help: "Help",
  newWorkspace: "New workspace…",
  openWorkspace: "Open workspace…",
  recent: "Open recent",
  openAtLogin: "Open at login",
  share: "Let other apps use this server",
  copyAccess: "Copy address and key",
  trustAfterAll: "Trust this workspace…",
  checkForUpdates: "Check for updates…",
  back: "Back",
  forward: "Forward",
  showLog: "Show log",
  show: "Show Argosy",
  quit: "Quit Argosy",
  waiting: (count: number) =>
    count === 0 ? "No call waits for approval" : `Approve ${count === 1 ? "1 call" : `${count} calls`}…`,
  access: (url: string, key: string) => `OPENAI_BASE_URL=${url}/v1\nOPENAI_API_KEY=${key}\n`,
  tip: (workspace: string, waiting: number) =>
    waiting === 0 ? `Argosy: ${workspace}` : `Argosy: ${workspace}, ${waiting} waiting for approval`,
  firstTitle: "Welcome to Argosy",
  firstText:
    "A workspace is a folder with your agents. Create one with a sample agent, or open one that you have.",
  openTitle: "Open a workspace folder",
  newTitle: "Choose a folder for the new workspace",
  openAction: "Open workspace",
  newAction: "Create workspace",
  newFailed: (folder: string) => `No workspace was created in ${folder}.`,
  crashed: "Argosy's server has stopped.",
  crashedDetail: (how: string, workspace: string) =>
    `It ended with ${how}. Runs that were in progress have stopped. Workspace: ${workspace}`,
  notStarted: (workspace: string) => `Argosy could not start the workspace ${workspace}.`,
  trustTitle: (workspace: string) => `Do you trust the workspace ${workspace}?`,
  trustText: (programs: readonly string[]) => {
    const shown = programs.slice(0, 10);
    const more = programs.length - shown.length;
    return [
      "It was not made on this machine. These files start programs with your rights, or get variables of your environment:",
      ...shown,
      ...(more > 0 ? [`and ${more} more`] : []),
      "Without trust, it opens without them.",
    ].join("\n");
  },
  trust: "Trust",
  openWithout: "Open without programs",
  restart: "Restart",
  otherWorkspace: "Choose another workspace",
  approvalTitle: "A call needs your approval",
  approvalText: (agent: string, tool: string) => `Agent ${agent} wants to call ${tool}.`,
  approvalsTitle: (count: number) => `${count} calls need your approval`,
  approvalsText: "Open Argosy to approve or reject them.",
  updateTitle: "Update ready",
  updateText: (version: string) => `Argosy ${version} is installed when Argosy restarts. Running runs stop.`,
  updateNow: "Restart now",
  updateLater: "Later",
  upToDate: "This is the latest version of Argosy.",
  updateFailed: "Argosy could not check for updates.",
  ok: "OK",
} as const;
