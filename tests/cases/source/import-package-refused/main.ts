// A package by its name is refused too, deeper in the graph with the file that asks.
import "./uses-lodash.ts";
