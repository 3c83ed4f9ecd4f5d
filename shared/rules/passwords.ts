export const passwordLengthMin = 8;
export const passwordLengthMax = 128;
