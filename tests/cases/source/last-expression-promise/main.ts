// A last expression that is a promise is awaited.
const double = async (n: number): Promise<number> => n * 2;
double(21);
