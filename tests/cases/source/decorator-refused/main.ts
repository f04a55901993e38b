// Decorators run code, so they cannot be erased.
const logged = (method: any, _context: unknown) => method;
class Service {
  @logged
  call() {}
}
new Service().call();
