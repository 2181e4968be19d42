int part(int x);
int part(int x)
{
    return x + 1;
}
