/** Returns the description of a key or of a guardrail, which their JSON Schema has in English. */
export const descriptionText = (description: string): string => description;
