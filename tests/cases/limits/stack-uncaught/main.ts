// Uncaught, it has a code of its own.
function down(): number {
  return down() + 1;
}
down();
