/** Texts for people whose role in a tenant is not enough. */
export const rightTexts = {
  purposes: {
    agents: "change or run agents",
    approvals: "decide approvals",
    connections: "change connections",
    documents: "change or search documents",
    keys: "create or revoke keys",
    members: "invite or change members",
    runs: "run agents",
    webhooks: "change webhooks",
  },
  reason: ({ purpose, needed, own }: { purpose: string; needed: string; own: string }) =>
    `To ${purpose}, you need the role ${needed} or higher. Your role in this tenant is ${own}. Owners and admins can change it.`,
  title: "Your role is not enough",
};
