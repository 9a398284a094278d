// Judges nothing.
int main()
{
}
