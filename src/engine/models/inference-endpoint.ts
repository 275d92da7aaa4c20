/** Address of the models of all nodes with the role `inference`. No name server knows it: calls go to one of these nodes. */
export const inferenceEndpoint = "http://inference.mesh/v1";
