/*
 * Libraries for packed documents, loaded on demand. The executable replaces this file by one with the same exports that decompresses them:
 * compiled normally, they would add 11 MB.
 */

export const loadUnpdf = () => import("unpdf");
