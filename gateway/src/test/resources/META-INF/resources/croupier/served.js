export const served = true;
