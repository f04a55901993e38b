export const plain: string = "plain";
