/** Whether errors for wrong options say what is right. False in production builds: minifiers then drop the text. */
export const explains: boolean = true;
