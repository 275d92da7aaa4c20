/** Examples per heading of `argosy --help`, for docs/cli.md. A test runs each in the workspace of the README. */
export const commandExamples: Readonly<Record<string, readonly string[]>> = {
  "Run agents": [
    "argosy serve --services daemon,platform --port 8001",
    'argosy run support "Where is order A-100?" --session 5215550001111 --trace',
  ],
  "Write agents": ["argosy validate agents"],
  "Agents and what they use": ["argosy agents support"],
  "Decide on paused runs": ["argosy approvals list --status pending"],
  "Watch and judge answers": ["argosy costs --agent support --since 7d"],
  "Services for customers and messengers": ["argosy platform tenants list"],
  "Manifests to platform and cloud": ["argosy translate agents --provider aws"],
  "Look after a server": ["argosy logs --level warning --limit 10"],
  "Backups and secrets": ["argosy backup desk.tar.zst", "argosy backups"],
  "This program": ["argosy completion bash > argosy.bash"],
};
