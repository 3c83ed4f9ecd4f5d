/** Path prefix of every API call. All other addresses are pages and files. */
export const apiPrefix = '/api/';
