// Needs something that is not installed.
// needs: no/such/library.hpp
int main()
{
}
