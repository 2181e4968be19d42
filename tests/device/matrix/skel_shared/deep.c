int deep(int x);
int deep(int x)
{
    return x * 6;
}
