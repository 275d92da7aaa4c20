export const platformPath = "/platform";

/** Page of the person's own account; an e-mail link opens it. */
export const accountPath = "/platform/account";

/** Start page of the operator. */
export const operatorPath = "/platform/operator";

/** The sign-in for an account, also for a session that is already an operator. */
export const personPath = "/platform?as=person";
