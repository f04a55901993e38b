// A function is no result: JSON cannot hold it.
const helper = (): number => 1;
return helper;
