int deep(void);
int deep(void)
{
    return 30;
}
