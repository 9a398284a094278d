/* Runs an example three times in one process; the example's main is compiled as example_main. */
int example_main();

int main()
{
    int first = example_main(), second = example_main(), third = example_main();
    return first | second | third;
}
